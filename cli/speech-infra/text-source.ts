/**
 * Where the text to say comes from: the command line, standard input, or a file. Text flows through piece by piece,
 * so that a program that writes slowly into our stdin is spoken as it writes, and a book fits in memory. What holds
 * nothing to say is refused before any model starts.
 */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { SpeechError } from "../../lib/errors.ts";
import { hasSpeakableText } from "../../lib/text/speakable.ts";
import { fileError } from "../file-error.ts";
import type { StdinStream } from "../run.ts";

export interface TextChoice {
  /** The argument; `-` is standard input. */
  readonly text?: string | undefined;
  readonly file?: string | undefined;
}

/**
 * Resolves once there is something to say.
 * @returns fragments cut anywhere, never inside a character.
 * @throws {SpeechError} CONFIGURATION, INVALID_REQUEST: none or two sources, a file that cannot be read or is not
 *   text, nothing with a letter or digit in it.
 */
export async function openText(
  { text, file }: TextChoice,
  stdin: StdinStream,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  if ((text === undefined) === (file === undefined)) {
    const given = text === undefined ? "none" : "both";
    throw new SpeechError(
      "CONFIGURATION",
      `give the text as an argument, as - for standard input, or with --file; got ${given}`,
    );
  }
  if (file !== undefined) return startingWithWords(readFragments(file, signal), `--file ${file}`);
  if (text !== "-") return startingWithWords(once(text!), "the text");
  if (stdin.isTTY) {
    throw new SpeechError(
      "CONFIGURATION",
      'standard input is the keyboard; pipe a text into it, as in: echo "Hello." | speech-infra say -',
    );
  }
  return startingWithWords(decoded(stdin, "standard input", signal), "standard input");
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

async function* readFragments(path: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* decoded(createReadStream(path), path, signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SpeechError) throw cause;
    throw fileError("read", path, cause, "give --file a text file");
  }
}

/** @throws {SpeechError} INVALID_REQUEST for bytes that are not UTF-8 text. */
async function* decoded(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? utf8.decode(bytes, { stream: true }) : utf8.decode();
    } catch (cause) {
      throw new SpeechError("INVALID_REQUEST", `${name} is not UTF-8 text; convert it first`, { cause });
    }
  };
  const onAbort = () => stream.destroy(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for await (const bytes of stream) {
      const text = decode(bytes as Uint8Array);
      if (text.includes("\0")) {
        throw new SpeechError("INVALID_REQUEST", `${name} holds binary data, not text`);
      }
      if (text !== "") yield text;
    }
    const rest = decode();
    if (rest !== "") yield rest;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Reads on until a word has come, then gives back everything. */
async function startingWithWords(
  fragments: AsyncGenerator<string>,
  name: string,
): Promise<AsyncIterable<string>> {
  let begun = "";
  for (;;) {
    const { done, value } = await fragments.next();
    if (done) {
      const what = begun.trim() === "" ? "is empty" : "has no letter or digit to say";
      throw new SpeechError(
        "INVALID_REQUEST",
        `${name} ${what}; give some words, as in speech-infra say "Hello there."`,
      );
    }
    begun += value;
    if (hasSpeakableText(begun)) break;
    // Only white space may go on for long before the first word.
    if (begun.trim() === "") begun = begun.slice(-1);
  }
  return resumed(begun, fragments);
}

async function* resumed(begun: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield begun;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
