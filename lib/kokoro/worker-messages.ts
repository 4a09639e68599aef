/** What passes between the main thread and a worker. Plain data: it is copied or transferred between threads. */
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { type ErrorCode, isSpeechError, SpeechError } from "../errors.ts";
import type { SpokenPart } from "./spoken-parts.ts";
import type { SentenceInProgress } from "./windowed-decoding.ts";

export interface WorkerSetup {
  readonly modelDir: string;
  readonly threads: number;
  /** @default cpu */
  readonly device?: SpeechDevice | undefined;
}

/** `begin` reads the text and speaks its first window; `continue` speaks the next. */
export type WorkerTask =
  | ({ readonly kind: "begin"; readonly text: string } & Manner)
  | ({ readonly kind: "continue"; readonly rest: UnspokenRest } & Manner);

export interface Manner {
  readonly voice: string;
  readonly speed: number;
  /** Decode in windows; else piece by piece. */
  readonly windows: boolean;
  /** Sound that the listener has and did not play yet when the task is given out. */
  readonly aheadMs: number;
}

export interface SpokenPiece {
  /** float32[n], transferred; undefined when the text has nothing to say. */
  readonly samples: Float32Array<ArrayBuffer> | undefined;
  readonly inferenceMs: number;
  /** Time to read the text; of its first piece only. */
  readonly phonemesMs?: number | undefined;
  /** undefined after the last. */
  readonly rest: UnspokenRest | undefined;
}

/** What of a text is still to be spoken. It belongs to no worker: whichever is free goes on with it. */
export interface UnspokenRest {
  readonly sentence: SentenceInProgress | undefined;
  /** What comes after it, in order: a text longer than the model takes is several pieces. */
  readonly pieces: readonly SpokenPart[];
}

/** Memory that is handed over, not copied: half a megabyte for each second of speech would be. */
export function buffersOf(rest: UnspokenRest | undefined): ArrayBuffer[] {
  const sentence = rest?.sentence;
  if (sentence === undefined) return [];
  const { features, pitch, energy, timbre } = sentence.encoding;
  return [features, pitch, energy, timbre, sentence.tail].map((numbers) => numbers.buffer);
}

export type WorkerReply =
  | { readonly kind: "ready" }
  | { readonly kind: "spoken"; readonly piece: SpokenPiece }
  | { readonly kind: "failed"; readonly error: ErrorRecord };

/** A SpeechError loses its class on the way between threads; its fields do not. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** For the log of the main thread; never sent to a caller. */
  readonly cause: string | undefined;
}

export function toErrorRecord(error: unknown): ErrorRecord {
  if (isSpeechError(error)) {
    const { code, message, details, cause } = error;
    return { code, message, details, cause: cause === undefined ? undefined : String(cause) };
  }
  return {
    code: "SYNTHESIS_FAILED",
    message: "the speech engine failed",
    details: {},
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function fromErrorRecord(record: ErrorRecord): SpeechError {
  return new SpeechError(record.code, record.message, {
    details: record.details,
    ...(record.cause !== undefined && { cause: record.cause }),
  });
}
