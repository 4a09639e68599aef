/**
 * Text -> the phoneme string that Kokoro reads, with its punctuation: the marks carry pauses and melody, and
 * eSpeak drops them. So the text is cut at its marks, the pieces are phonemized and the marks put back
 * (as kokoro.js does; there src/phonemize.js). A mark inside a number or a name (3.50, 10:30, example.com) is no mark.
 */
import { SpeechError } from "../errors.ts";
import type { LanguageTag } from "../text/language.ts";
import { readSpeechMarks, type SpeechSpan } from "../text/speech-marks.ts";
import { Espeak } from "./espeak.ts";
import { toKokoroPhonemes } from "./phoneme-mapping.ts";
import type { Voice } from "./voices.ts";

export class Phonemizer {
  readonly #espeak: Espeak;

  private constructor(espeak: Espeak) {
    this.#espeak = espeak;
  }

  static async load(): Promise<Phonemizer> {
    return new Phonemizer(await Espeak.load());
  }

  /**
   * @returns phonemes and marks; "" when there is nothing to say (no letter and no digit).
   * @throws {SpeechError} LANGUAGE_NOT_SUPPORTED when the text is in a script that the voice cannot read.
   */
  phonemize(text: string, voice: Voice): string {
    return this.phonemizeSpans(readSpeechMarks(text), voice);
  }

  /** The same of a text already parted at its marks; phonemes in it are taken as given, pauses are not heard here. */
  phonemizeSpans(spans: readonly SpeechSpan[], voice: Voice): string {
    const text = spans.map((span) => (span.kind === "text" ? span.text : "")).join(" ");
    const isHeard = spans.some((span) => span.kind === "phonemes") || /[\p{L}\p{N}]/u.test(text);
    if (!isHeard) return "";
    checkScript(text, voice);
    const language = readingLanguage(voice.language);
    let phonemes = "";
    for (const [index, span] of spans.entries()) {
      if (span.kind === "phonemes") phonemes += span.phonemes;
      if (span.kind === "pause") phonemes += " ";
      if (span.kind !== "text") continue;
      // "[Kokoro](/kˈOkəɹO/)'s": alone, eSpeak would name the letter.
      const ending =
        spans[index - 1]?.kind === "phonemes" ? /^['’]?s(?!\p{L})/u.exec(span.text)?.[0] : undefined;
      if (ending !== undefined) phonemes += "z";
      for (const part of splitAtMarks(normalizeMarks(span.text.slice(ending?.length ?? 0)))) {
        phonemes += part.isMark ? part.text : this.#read(part.text, language);
      }
    }
    // French sets a space before its marks; Kokoro has learnt them without.
    return (
      phonemes
        .replace(/\s+/g, " ")
        .replace(/ (?=[,.;:!?…”)])/g, "")
        // "the C.E.O.'s": eSpeak parts the ending from initials.
        .replace(/ z(?=[\s,.;:!?…”)]|$)/g, "z")
        .trim()
    );
  }

  /** Keeps the spaces around the piece: they part it from the marks. */
  #read(piece: string, language: LanguageTag): string {
    const words = piece.trim();
    if (words === "") return piece;
    const phonemes = toKokoroPhonemes(this.#espeak.phonemesOf(words, language), language);
    return `${/^\s/.test(piece) ? " " : ""}${phonemes}${/\s$/.test(piece) ? " " : ""}`;
  }
}

/** Japanese and Mandarin voices read Latin text as American English; their own scripts are refused before. */
function readingLanguage(language: LanguageTag): LanguageTag {
  return language === "ja" || language === "zh" ? "en-us" : language;
}

const READABLE_LETTER: Readonly<Record<"latin" | "hindi", RegExp>> = {
  latin: /[\p{Script=Latin}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]/u,
  hindi: /[\p{Script=Devanagari}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u,
};
const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}]/u;

/**
 * eSpeak spells a script that it does not know letter by letter ("Chinese letter, Chinese letter"). A foreign
 * word in a sentence may be read so; a sentence that is mostly such is refused. Japanese and Mandarin need a
 * dictionary of readings, which is not here: their voices refuse their own scripts altogether.
 */
function checkScript(text: string, voice: Voice): void {
  const readable = READABLE_LETTER[voice.language === "hi" ? "hindi" : "latin"];
  const letters = text.match(/\p{L}/gu) ?? [];
  const foreign = letters.filter((letter) => !readable.test(letter)).length;
  const isNative = (voice.language === "ja" || voice.language === "zh") && EAST_ASIAN.test(text);
  if (!isNative && foreign * 2 <= letters.length) return;
  throw new SpeechError(
    "LANGUAGE_NOT_SUPPORTED",
    `voice ${voice.name} (${voice.language}) cannot read the script of this text; ${isNative ? "Japanese and Chinese characters are not supported yet, Latin letters are" : "take a voice of the text's language"}`,
    { details: { voice: voice.name, language: voice.language } },
  );
}

/** Titles whose full stop ends no sentence; eSpeak reads them in full without it. */
const TITLES = /\b(Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Capt|Col|Gen|Lt|Rev|Sgt|vs)\.(?=\s)/g;

/** Every mark becomes one that the model knows, with a space where it parts words. */
function normalizeMarks(text: string): string {
  return text
    .replace(/\s+/g, " ") // first: the rules below would take quadratic time over a long run of spaces
    .replace(/[‘’‛ʼ]/g, "'")
    .replace(/[«„]/g, "“")
    .replaceAll("»", "”")
    .replace(/[、，]/g, ", ")
    .replace(/[。．।॥]/g, ". ")
    .replaceAll("！", "! ")
    .replaceAll("？", "? ")
    .replaceAll("：", ": ")
    .replaceAll("；", "; ")
    .replace(/\.{3,}/g, "…")
    .replace(/\s+[-–]+\s+|\s*--+\s*|\s*—+\s*/g, " — ")
    .replace(/(?<=\d)–(?=\d)/g, "-")
    .replace(/[¡¿]/g, "")
    .replace(/\[|\{/g, "(")
    .replace(/\]|\}/g, ")")
    .replace(/(^|[\s(—“])"(?=\S)/g, "$1“")
    .replaceAll('"', "”")
    .replace(TITLES, "$1");
}

interface TextPart {
  readonly text: string;
  readonly isMark: boolean;
}

/** A run of marks counts where it parts words: before a space, an opening or the end, or where it is never in a word. */
const MARKS = /[;!?—…“”()]+|[,.:]+(?=[\s;!?—…“”()]|$)/gu;
/** `e.g.`, `U.S.`: single letters each with its stop. */
const INITIALS_MAX_CHARS = 24;
const INITIALS_AT_END = /(?:^|[\s(])(?:\p{L}\.)+\p{L}$/u;

function* splitAtMarks(text: string): Generator<TextPart> {
  let start = 0;
  for (const match of text.matchAll(MARKS)) {
    const before = text.slice(start, match.index);
    const after = match.index + match[0].length;
    // The last stop of initials is theirs, unless the text ends here.
    if (
      match[0] === "." &&
      after < text.trimEnd().length &&
      INITIALS_AT_END.test(before.slice(-INITIALS_MAX_CHARS))
    )
      continue;
    if (before !== "") yield { text: before, isMark: false };
    yield { text: match[0], isMark: true };
    start = after;
  }
  if (start < text.length) yield { text: text.slice(start), isMark: false };
}
