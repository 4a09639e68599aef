/** Answers of the HTTP routes: JSON errors, and bodies written with back-pressure. */
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { SpeechError } from "../../lib/errors.ts";
import { REQUEST_ID_HEADER } from "../../lib/protocol/invocations.ts";
import { toErrorBody } from "../../lib/protocol/wire-errors.ts";
import { requestIdHeader } from "./request-id.ts";

/** A reader that takes nothing for so long is gone or stuck. */
const STALL_MS = 60_000;
/** What a caller should wait before it tries a busy or loading container again. */
const RETRY_AFTER_SECONDS = 1;

/** Sends an error as JSON. @param status overrides the error's own, where HTTP has a more exact one. */
export function answerError(
  response: ServerResponse,
  error: unknown,
  requestId?: string,
  status = statusOf(error),
  headers: OutgoingHttpHeaders = {},
): void {
  const body = JSON.stringify(toErrorBody(error, requestId));
  response.writeHead(status, { ...errorHeaders(status, body, requestId), ...headers });
  response.end(body);
}

/** The same on the bare socket of an upgrade request, for which Node makes no response. */
export function refuseUpgrade(socket: Duplex, error: unknown, status = statusOf(error)): void {
  const body = JSON.stringify(toErrorBody(error));
  const headers = { ...errorHeaders(status, body), Connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.on("error", () => {}); // the caller may be gone already
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
}

function errorHeaders(status: number, body: string, requestId?: string): OutgoingHttpHeaders {
  return {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestIdHeader(requestId) }),
    ...(status === 503 && { "Retry-After": RETRY_AFTER_SECONDS }),
  };
}

function statusOf(error: unknown): number {
  return error instanceof SpeechError ? error.httpStatus : 500;
}

/**
 * Writes and waits for room.
 * @throws {SpeechError} TRANSPORT_FAILED when the caller is gone, or takes nothing.
 */
export async function write(
  response: ServerResponse,
  bytes: Uint8Array | string,
  stallMs = STALL_MS,
): Promise<void> {
  if (response.destroyed || response.closed) throw new SpeechError("TRANSPORT_FAILED", "the caller is gone");
  if (response.write(bytes)) return;
  await new Promise<void>((resolve, reject) => {
    const settle = () => {
      clearTimeout(stall);
      response.off("drain", settle);
      response.off("close", settle);
      if (response.closed) reject(new SpeechError("TRANSPORT_FAILED", "the caller is gone"));
      else resolve();
    };
    const stall = setTimeout(() => response.destroy(), stallMs);
    response.on("drain", settle);
    response.on("close", settle);
  });
}
