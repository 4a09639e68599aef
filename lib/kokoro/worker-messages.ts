/** What passes between the main thread and a worker. Plain data: it is copied or transferred between threads. */
import { type ErrorCode, isSpeechError, SpeechError } from "../errors.ts";

export interface WorkerSetup {
  readonly modelDir: string;
  readonly threads: number;
}

/** `begin` reads the text and speaks its first piece; `continue` speaks a later one. */
export type WorkerTask =
  | { readonly kind: "begin"; readonly text: string; readonly voice: string; readonly speed: number }
  | {
      readonly kind: "continue";
      readonly ids: readonly number[];
      readonly voice: string;
      readonly speed: number;
    };

export interface SpokenPiece {
  /** float32[n], transferred; undefined when the text has nothing to say. */
  readonly samples: Float32Array<ArrayBuffer> | undefined;
  readonly inferenceMs: number;
  /** Ids of the pieces still to be spoken, in order; only after `begin`. */
  readonly remaining: readonly (readonly number[])[];
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
