/**
 * What an HTTP answer that is no success means, where our own server speaks: a container's or an agent's JSON body
 * decides, else the status. A body that is not ours is never quoted.
 */
import { type ErrorCode, SpeechError } from "../errors.ts";
import { fromWireError } from "../protocol/wire-errors.ts";

const BY_STATUS: Record<number, { code: ErrorCode; next: string }> = {
  400: { code: "INVALID_REQUEST", next: "" },
  401: { code: "ACCESS_DENIED", next: "; check the credentials" },
  403: { code: "ACCESS_DENIED", next: "; check the permissions" },
  404: { code: "NOT_FOUND", next: "; check the URL: nothing of ours answers there" },
  405: { code: "NOT_FOUND", next: "; check the URL: nothing of ours answers there" },
  408: { code: "REQUEST_STALE", next: "; try again" },
  413: { code: "TEXT_TOO_LONG", next: "; send less text at once" },
  429: { code: "THROTTLED", next: "; try again after a pause" },
  503: { code: "MODEL_NOT_READY", next: "; try again shortly" },
  504: { code: "DEADLINE_EXCEEDED", next: "; try again" },
};

/** Longest body of an error that is worth reading. */
export const ERROR_BODY_MAX_BYTES = 64 * 1024;

/** @param peer host and port, for the message */
export function httpError(httpStatus: number, body: string, peer: string): SpeechError {
  const told = ourError(body);
  const details = { httpStatus };
  if (told) {
    const error = fromWireError(told);
    return new SpeechError(error.code, error.message, { retryable: error.retryable, details });
  }
  const known = BY_STATUS[httpStatus];
  if (known)
    return new SpeechError(known.code, `${peer} answered HTTP ${httpStatus}${known.next}`, { details });
  return new SpeechError("TRANSPORT_FAILED", `${peer} answered HTTP ${httpStatus}`, {
    details,
    retryable: httpStatus >= 500,
  });
}

/** `{error: {code, message}}` of our servers. */
function ourError(body: string): { code: unknown; message: unknown; retryable?: unknown } | undefined {
  try {
    const error: unknown = (JSON.parse(body) as { error?: unknown } | null)?.error;
    if (typeof error === "object" && error !== null && "code" in error && "message" in error) return error;
  } catch {
    // not JSON: not ours
  }
  return undefined;
}
