/**
 * Chunkers over the same texts: how many each cuts right, and how many characters it reads in a second of processor time. Each is fed as a
 * language model writes, a few characters at once.
 */
import type { TextCase } from "./text-corpus.ts";

export interface TextChunker {
  readonly name: string;
  split(question: SplitQuestion): Promise<SplitAnswer>;
}

export interface SplitQuestion {
  readonly texts: readonly string[];
  /** Characters that come at once. */
  readonly fragmentChars: number;
}

export interface SplitAnswer {
  /** Of each text. */
  readonly pieces: readonly (readonly string[])[];
  /** Processor time for all texts together: what else runs on the machine does not count. */
  readonly cpuSeconds: number;
}

export interface ChunkerResult {
  readonly name: string;
  /** Texts cut as they should be. */
  readonly right: number;
  /** Kinds of text with one at least that was not, and how many. */
  readonly wrongByKind: Readonly<Record<string, number>>;
  readonly charactersPerSecond: number;
  /** Megabytes of UTF-8 a second. */
  readonly megabytesPerSecond: number;
}

/** About a word: small, so that marks and what decides about them come apart. */
const FRAGMENT_CHARS = 6;
/** A few words, what one event of a language model's stream commonly brings. */
const TIMED_FRAGMENT_CHARS = 20;
/** Read in this many rounds, of which the best counts: the first ones still compile. */
const ROUNDS = 5;

/** @param timedChars least length of the text whose reading is timed: the cases one after the other, again and again. */
export async function trialOf(
  chunker: TextChunker,
  cases: readonly TextCase[],
  timedChars: number,
): Promise<ChunkerResult> {
  const texts = cases.map(({ text }) => text);
  const { pieces } = await chunker.split({ texts, fragmentChars: FRAGMENT_CHARS });
  const wrong = cases.filter((one, index) => !isRight(pieces[index] ?? [], one));
  const wrongByKind: Record<string, number> = {};
  for (const { kind } of wrong) wrongByKind[kind] = (wrongByKind[kind] ?? 0) + 1;
  const once = `${texts.join("\n\n")}\n\n`;
  const timed = once.repeat(Math.ceil(timedChars / once.length));
  let cpuSeconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await chunker.split({ texts: [timed], fragmentChars: TIMED_FRAGMENT_CHARS });
    cpuSeconds = Math.min(cpuSeconds, answer.cpuSeconds);
  }
  return {
    name: chunker.name,
    right: cases.length - wrong.length,
    wrongByKind,
    charactersPerSecond: Math.round(timed.length / cpuSeconds),
    megabytesPerSecond: Buffer.byteLength(timed) / cpuSeconds / 1e6,
  };
}

/** White space does not count, nor a piece of nothing else. */
export function isRight(pieces: readonly string[], { pieces: wanted }: TextCase): boolean {
  const given = pieces.map(bare).filter((piece) => piece !== "");
  return given.length === wanted.length && given.every((piece, index) => piece === bare(wanted[index]!));
}

const bare = (piece: string): string => piece.replace(/\s+/gu, " ").trim();

export function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
