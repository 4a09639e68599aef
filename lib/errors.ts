/**
 * The errors of this product. Every failure a caller can meet is a SpeechError with a stable `code`;
 * `source` says who can mend it, `retryable` whether the same call may be made again. Adding a code? It also
 * goes into docs/errors.md (test/lib/errors.test.ts compares the two).
 *
 * Cancelling is no error of ours: an AbortSignal's own reason is passed through.
 * Messages say what was wrong, the value got, what is allowed and what to do next. They never hold spoken text.
 */

/** Who can mend it: the caller (input or setup), the service (try later), or we (a fault of this program). */
export type ErrorSource = "caller" | "service" | "internal";

export interface ErrorKind {
  readonly source: ErrorSource;
  readonly retryable: boolean;
  /** HTTP status of `POST /invocations` and of an upgrade refused; undefined where no HTTP answer carries it. */
  readonly httpStatus?: number;
  /** Exit code of the command line tools. */
  readonly exitCode: 1 | 2;
}

/** Every code, once. */
export const ERROR_KINDS = {
  INVALID_REQUEST: { source: "caller", retryable: false, httpStatus: 400, exitCode: 2 },
  UNKNOWN_VOICE: { source: "caller", retryable: false, httpStatus: 400, exitCode: 2 },
  LANGUAGE_NOT_SUPPORTED: { source: "caller", retryable: false, httpStatus: 400, exitCode: 2 },
  TEXT_TOO_LONG: { source: "caller", retryable: false, httpStatus: 413, exitCode: 2 },
  NOT_FOUND: { source: "caller", retryable: false, httpStatus: 404, exitCode: 2 },
  ACCESS_DENIED: { source: "caller", retryable: false, httpStatus: 403, exitCode: 2 },
  REQUEST_STALE: { source: "service", retryable: true, httpStatus: 408, exitCode: 1 },
  THROTTLED: { source: "service", retryable: true, httpStatus: 429, exitCode: 1 },
  QUEUE_SATURATED: { source: "service", retryable: true, httpStatus: 503, exitCode: 1 },
  MODEL_NOT_READY: { source: "service", retryable: true, httpStatus: 503, exitCode: 1 },
  LANGUAGE_MODEL_FAILED: { source: "service", retryable: true, exitCode: 1 },
  TRANSPORT_FAILED: { source: "service", retryable: true, exitCode: 1 },
  DEADLINE_EXCEEDED: { source: "service", retryable: true, exitCode: 1 },
  PROTOCOL_VIOLATION: { source: "internal", retryable: false, httpStatus: 400, exitCode: 1 },
  SYNTHESIS_FAILED: { source: "internal", retryable: false, httpStatus: 500, exitCode: 1 },
  INTERNAL: { source: "internal", retryable: false, httpStatus: 500, exitCode: 1 },
  CONFIGURATION: { source: "caller", retryable: false, exitCode: 2 },
  WEIGHTS_UNAVAILABLE: { source: "caller", retryable: true, exitCode: 2 },
  STACK_NOT_DEPLOYED: { source: "caller", retryable: false, exitCode: 2 },
  DEPLOYMENT_FAILED: { source: "service", retryable: true, exitCode: 1 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

export interface SpeechErrorOptions {
  readonly cause?: unknown;
  /** Facts for machines (limits, nearest names, sentence number). Never spoken text, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Overrides the kind's default, e.g. a transport that failed after the first audio must not be retried. */
  readonly retryable?: boolean;
}

// A registered symbol, not `instanceof`: an error stays recognisable across two copies of this module.
const BRAND = Symbol.for("kokoro-agent-voice.SpeechError");

export class SpeechError extends Error {
  readonly code: ErrorCode;
  readonly source: ErrorSource;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SpeechErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const kind = ERROR_KINDS[code];
    this.name = "SpeechError";
    this.code = code;
    this.source = kind.source;
    this.retryable = options.retryable ?? kind.retryable;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Status for an HTTP answer; 500 where the code has none of its own. */
  get httpStatus(): number {
    return (ERROR_KINDS[this.code] as ErrorKind).httpStatus ?? 500;
  }

  get exitCode(): 1 | 2 {
    return ERROR_KINDS[this.code].exitCode;
  }
}

export function isSpeechError(value: unknown): value is SpeechError {
  return typeof value === "object" && value !== null && BRAND in value;
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_KINDS, value);
}

/** True for the reason of an AbortSignal (cancelled by its owner), which is passed through untouched. */
export function isAbortError(value: unknown): boolean {
  return value instanceof Error && (value.name === "AbortError" || value.name === "TimeoutError");
}

/**
 * Makes a SpeechError of anything thrown, keeping it as the cause; a SpeechError is returned as it is.
 * @param message fixed words for callers: the original message may hold paths or spoken text.
 */
export function toSpeechError(value: unknown, code: ErrorCode, message: string): SpeechError {
  return isSpeechError(value) ? value : new SpeechError(code, message, { cause: value });
}
