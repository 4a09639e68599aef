/**
 * Marks that a writer sets for the speaker: `[pause:500ms]` is exact silence, `[Kokoro](/kˈOkəɹO/)` a word with its
 * phonemes. They look like a link's label on purpose: who does not know them shows the word. lib/text carries them
 * through unharmed, lib/kokoro speaks them.
 */

/** Longest pause; a longer one is cut to this. */
export const PAUSE_MAX_MS = 10_000;
/** Longest inline pronunciation: a word or a name, not a text. */
const PHONEMES_MAX_CHARS = 200;

const PAUSE = String.raw`\[pause:\s?(?<amount>\d{1,6}(?:\.\d{1,3})?)\s?(?<unit>ms|s)\]`;
const PRONUNCIATION = String.raw`\[(?<word>[^\][\n]{1,100})\]\(\/(?<phonemes>[^/()\n]{1,${PHONEMES_MAX_CHARS}})\/\)`;
/** Either mark; make a fresh one with `new RegExp(SPEECH_MARK)` where it is used with its own index. */
export const SPEECH_MARK = new RegExp(`${PAUSE}|${PRONUNCIATION}`, "gu");

export type SpeechSpan =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "pause"; readonly pauseMs: number }
  | { readonly kind: "phonemes"; readonly word: string; readonly phonemes: string };

/** The text in its parts, in order; joined they say all of it. */
export function readSpeechMarks(text: string): SpeechSpan[] {
  const spans: SpeechSpan[] = [];
  let done = 0;
  for (const match of text.matchAll(SPEECH_MARK)) {
    if (match.index > done) spans.push({ kind: "text", text: text.slice(done, match.index) });
    const { amount, unit, word, phonemes } = match.groups!;
    if (amount !== undefined) {
      const pauseMs = Math.min(PAUSE_MAX_MS, Number(amount) * (unit === "s" ? 1000 : 1));
      spans.push({ kind: "pause", pauseMs });
    } else spans.push({ kind: "phonemes", word: word!, phonemes: phonemes! });
    done = match.index + match[0].length;
  }
  if (done < text.length) spans.push({ kind: "text", text: text.slice(done) });
  return spans;
}

/** The text as one reads it: marks give way to their word. */
export function withoutSpeechMarks(text: string): string {
  return readSpeechMarks(text)
    .map((span) => (span.kind === "text" ? span.text : span.kind === "phonemes" ? span.word : ""))
    .join("");
}
