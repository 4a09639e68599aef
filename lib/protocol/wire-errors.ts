/**
 * The only translator between SpeechErrors and what crosses a wire. A SpeechError tells its code and message;
 * anything else becomes INTERNAL with fixed words, because its message may hold paths, secrets or spoken text.
 * The first word of the wire message keeps the reference system's bare tokens (`queue_saturated`,
 * `request_stale`), by which deployed clients classify it.
 */
import { type ErrorCode, isErrorCode, isSpeechError, SpeechError } from "../errors.ts";

export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
}

export const INTERNAL_MESSAGE =
  "internal error; give the request id to the operator, whose log has the cause";

/** Bare tokens of the reference container, kept at the head of the message. */
const REFERENCE_TOKENS: Partial<Record<ErrorCode, string>> = {
  QUEUE_SATURATED: "queue_saturated",
  REQUEST_STALE: "request_stale",
};

export function toWireError(error: unknown): WireError {
  if (!isSpeechError(error)) return { code: "INTERNAL", message: INTERNAL_MESSAGE, retryable: false };
  const token = REFERENCE_TOKENS[error.code];
  const message = token && !error.message.startsWith(token) ? `${token}: ${error.message}` : error.message;
  return { code: error.code, message, retryable: error.retryable };
}

/** Reads a peer's error. An old container sends a message alone: its token, else its kind, decides the code. */
export function fromWireError(wire: { code?: unknown; message?: unknown; retryable?: unknown }): SpeechError {
  const message =
    typeof wire.message === "string" && wire.message !== "" ? wire.message : "the peer gave no reason";
  const token = Object.entries(REFERENCE_TOKENS).find(([, word]) => message.startsWith(word!));
  const code = isErrorCode(wire.code) ? wire.code : token ? (token[0] as ErrorCode) : "SYNTHESIS_FAILED";
  return new SpeechError(
    code,
    message,
    typeof wire.retryable === "boolean" ? { retryable: wire.retryable } : {},
  );
}

/** JSON body of an HTTP error answer of the container. */
export function toErrorBody(
  error: unknown,
  requestId?: string,
): { error: WireError & { request_id?: string } } {
  return { error: { ...toWireError(error), ...(requestId !== undefined && { request_id: requestId }) } };
}
