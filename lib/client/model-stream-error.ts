/**
 * A container's failure of a whole stream: the text frame `{"ModelStreamError": {"ErrorCode", "Message"}}`, or a
 * WebSocket close code. Straight from a container it arrives as it is; through SageMaker as an exception event
 * whose ErrorCode is either the container's own or the close code.
 */
import { type ErrorCode, isErrorCode, SpeechError } from "../errors.ts";
import { fromWireError } from "../protocol/wire-errors.ts";

/** Codes that SageMaker itself puts there (API reference, ModelStreamError). */
const SAGEMAKER_CODES: Record<string, { code: ErrorCode; words: string }> = {
  ModelInvocationTimeExceeded: {
    code: "DEADLINE_EXCEEDED",
    words: "the container did not answer within SageMaker's time limit",
  },
  StreamBroken: {
    code: "TRANSPORT_FAILED",
    words: "the connection between SageMaker and the container broke",
  },
};

/** RFC 6455 section 7.4.1 and the IANA registry; anything else is a failed synthesis. */
const CLOSE_CODES: Record<number, { code: ErrorCode; words: string }> = {
  1001: { code: "TRANSPORT_FAILED", words: "the container is going away" },
  1002: { code: "PROTOCOL_VIOLATION", words: "the container found the wire protocol broken" },
  1003: { code: "PROTOCOL_VIOLATION", words: "the container does not take this kind of frame" },
  1006: { code: "TRANSPORT_FAILED", words: "the connection was lost" },
  1007: { code: "PROTOCOL_VIOLATION", words: "the container could not read a frame" },
  1008: { code: "INVALID_REQUEST", words: "the container refuses this stream" },
  1009: { code: "TEXT_TOO_LONG", words: "a message was too long for the container" },
  1011: { code: "SYNTHESIS_FAILED", words: "the container failed" },
  1012: { code: "TRANSPORT_FAILED", words: "the container restarts" },
  1013: { code: "QUEUE_SATURATED", words: "the container is too busy; try again" },
};

export function fromModelStreamError(
  errorCode: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): SpeechError {
  const facts = { ...details, modelErrorCode: errorCode.slice(0, 80) };
  const known = SAGEMAKER_CODES[errorCode];
  if (known) return new SpeechError(known.code, known.words, { details: facts });
  if (/^[1-4]\d{3}$/.test(errorCode)) return fromCloseCode(Number(errorCode), facts);
  // Words are taken only from a peer that speaks our codes: another container's may hold what was to be spoken.
  const own = isErrorCode(errorCode) || /^(queue_saturated|request_stale)\b/.test(message);
  const read = fromWireError({
    code: errorCode,
    message: own && message !== "" ? message : "the container failed while it was speaking",
  });
  return new SpeechError(read.code, read.message, { retryable: read.retryable, details: facts });
}

export function fromCloseCode(
  closeCode: number,
  details: Readonly<Record<string, unknown>> = {},
): SpeechError {
  const known = CLOSE_CODES[closeCode] ?? {
    code: "SYNTHESIS_FAILED" as const,
    words: "the container ended the stream",
  };
  return new SpeechError(known.code, `${known.words} (WebSocket close code ${closeCode})`, {
    details: { ...details, closeCode },
  });
}
