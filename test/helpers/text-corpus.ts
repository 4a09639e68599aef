/**
 * test/fixtures/text/sentences.json: texts as a language model writes them, the pieces they are cut into, and what is
 * said of each. Chunker, speakable text and `speech-bench text` are held against the same cases.
 */
import { readFileSync } from "node:fs";
import type { LanguageTag } from "../../lib/text/language.ts";

export interface TextCase {
  readonly kind: string;
  readonly language: LanguageTag;
  readonly text: string;
  readonly pieces: readonly string[];
  /** In the order of the pieces; the pieces themselves where nothing changes. */
  readonly spoken: readonly string[];
}

export function readTextCorpus(): TextCase[] {
  const file = new URL("../fixtures/text/sentences.json", import.meta.url);
  const cases = JSON.parse(readFileSync(file, "utf8")) as (TextCase & { spoken?: string[] })[];
  return cases.map((one) => ({ ...one, spoken: one.spoken ?? one.pieces }));
}
