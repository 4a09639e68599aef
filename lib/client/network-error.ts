/**
 * Node's own network errors (refused, reset, name not found, TLS) in this program's words, with the original kept
 * as the cause. One table for HTTP/2, WebSocket and fetch.
 */
import { isAbortError, isSpeechError, SpeechError } from "../errors.ts";

const WORDS: Record<string, string> = {
  ECONNREFUSED: "refused the connection; is it running, and are host and port right?",
  ENOTFOUND: "has no address; check the host name, the region and the network",
  EAI_AGAIN: "could not be looked up; check the network",
  ECONNRESET: "reset the connection",
  EPIPE: "closed the connection",
  ETIMEDOUT: "did not answer in time; check the network and firewalls",
  EHOSTUNREACH: "cannot be reached from here; check the network",
  ENETUNREACH: "cannot be reached from here; check the network",
  EADDRNOTAVAIL: "cannot be reached from here; check the network",
  UND_ERR_CONNECT_TIMEOUT: "did not answer in time; check the network and firewalls",
  UND_ERR_HEADERS_TIMEOUT: "did not answer in time",
  UND_ERR_BODY_TIMEOUT: "stopped sending",
  UND_ERR_SOCKET: "closed the connection",
  ERR_STREAM_PREMATURE_CLOSE: "closed the connection",
  ERR_HTTP2_STREAM_ERROR: "aborted the stream",
  ERR_HTTP2_SESSION_ERROR: "broke off the connection",
  ERR_HTTP2_GOAWAY_SESSION: "is closing the connection",
  ERR_HTTP2_ERROR: "does not speak HTTP/2",
};

/** Faults of set-up that no retry mends. */
const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|EPROTO)/;

/**
 * @param peer whom we talked to, for the message: "127.0.0.1:9001". No path or query: they may hold secrets.
 * @returns SpeechErrors and AbortErrors untouched.
 */
export function networkError(cause: unknown, peer: string): Error {
  if (isSpeechError(cause) || isAbortError(cause)) return cause as Error;
  const code = errorCode(cause);
  if (code !== undefined && TLS_CODES.test(code)) {
    return new SpeechError(
      "CONFIGURATION",
      `the TLS connection to ${peer} failed (${code}); trust its certificate with NODE_EXTRA_CA_CERTS, or check the URL's scheme`,
      { cause, details: { networkCode: code } },
    );
  }
  const words = (code !== undefined && WORDS[code]) || "failed while connected";
  return new SpeechError("TRANSPORT_FAILED", `${peer} ${words}`, {
    cause,
    details: code === undefined ? {} : { networkCode: code },
  });
}

/**
 * fetch, HTTP/2 and happy eyeballs wrap what really happened: along the chain of causes the first code that is known
 * here counts, else the outermost.
 */
function errorCode(error: unknown): string | undefined {
  const codes = codesOf(error, 0);
  return codes.find((code) => code in WORDS || TLS_CODES.test(code)) ?? codes[0];
}

function codesOf(error: unknown, depth: number): string[] {
  if (typeof error !== "object" || error === null || depth > 4) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const inner = Array.isArray(errors) ? [cause, errors[0]] : [cause];
  return [...(typeof code === "string" ? [code] : []), ...inner.flatMap((next) => codesOf(next, depth + 1))];
}
