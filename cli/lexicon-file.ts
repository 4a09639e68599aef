/** A user's lexicon from a JSON file. */
import { readFile } from "node:fs/promises";
import { SpeechError } from "../lib/errors.ts";
import { type Lexicon, readLexicon } from "../lib/text/lexicon.ts";
import { fileError } from "./file-error.ts";

/** @throws {SpeechError} CONFIGURATION when it cannot be read or is no lexicon. */
export async function readLexiconFile(path: string | undefined): Promise<Lexicon | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw fileError("read", path, cause, "give --lexicon a JSON file");
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SpeechError(
      "CONFIGURATION",
      `--lexicon ${path} is not JSON; write it as in {"SQL": "sequel", "Nguyen": "/wˈɪn/"}`,
      { cause },
    );
  }
  return readLexicon(value, `--lexicon ${path}`);
}
