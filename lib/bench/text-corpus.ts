/**
 * test/fixtures/text/sentences.json: texts as a language model writes them, the pieces they are cut into, and what is
 * said of each. The tests of the chunker and of speakable text hold them to it, and `speech-bench text` others too.
 */
import { readFileSync } from "node:fs";
import type { LanguageTag } from "../text/language.ts";

export interface TextCase {
  readonly kind: string;
  readonly language: LanguageTag;
  readonly text: string;
  readonly pieces: readonly string[];
  /** In the order of the pieces; the pieces themselves where nothing changes. */
  readonly spoken: readonly string[];
}

export function readTextCorpus(): TextCase[] {
  const file = new URL("../../test/fixtures/text/sentences.json", import.meta.url);
  const cases = JSON.parse(readFileSync(file, "utf8")) as (TextCase & { spoken?: string[] })[];
  return cases.map((one) => ({ ...one, spoken: one.spoken ?? one.pieces }));
}
