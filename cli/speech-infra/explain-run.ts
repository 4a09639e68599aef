/** `say --explain`: what would be said and how, piece by piece. No weights, no synthesis, no server. */
import { Phonemizer } from "../../lib/kokoro/phonemizer.ts";
import { findVoice } from "../../lib/kokoro/voices.ts";
import { languageOfVoice } from "../../lib/text/language.ts";
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { type SpeakableOptions, toSpeakableText } from "../../lib/text/speakable.ts";
import { readLexiconFile } from "../lexicon-file.ts";
import type { CliContext } from "../run.ts";
import { openText } from "./text-source.ts";

export interface ExplainOptions {
  readonly file?: string;
  readonly voice: string;
  readonly normalize: boolean;
  readonly lexicon?: string;
}

export interface ExplainedPiece {
  readonly text: string;
  /** "" when nothing of it is heard. */
  readonly spoken: string;
  readonly phonemes: string;
}

export async function explain(
  text: string | undefined,
  options: ExplainOptions,
  { output, signal, stdin }: CliContext,
): Promise<void> {
  const voice = findVoice(options.voice);
  const lexicon = await readLexiconFile(options.lexicon);
  const fragments = await openText({ text, file: options.file }, stdin, signal);
  const phonemizer = await Phonemizer.load();
  const wording: SpeakableOptions = {
    language: languageOfVoice(options.voice),
    normalize: options.normalize,
    lexicon,
  };
  const pieces: ExplainedPiece[] = [];
  const take = (piece: string): void => {
    const spoken = toSpeakableText(piece, wording);
    pieces.push({ text: piece, spoken, phonemes: spoken === "" ? "" : phonemizer.phonemize(spoken, voice) });
  };
  const chunker = new IncrementalSentenceChunker();
  for await (const fragment of fragments) chunker.feed(fragment).forEach(take);
  const rest = chunker.flush();
  if (rest !== null) take(rest);
  output.result({ pieces });
  for (const line of pieces.flatMap(explained)) output.line(line);
}

/** What does not differ from the line above is left out. */
export function explained({ text, spoken, phonemes }: ExplainedPiece, index: number): string[] {
  const lines = [`${String(index + 1).padStart(3)}  ${text.replace(/\s+/gu, " ")}`];
  if (spoken === "") return [...lines, "     (not heard)"];
  if (spoken !== text) lines.push(`     ${spoken}`);
  return [...lines, `     /${phonemes}/`];
}
