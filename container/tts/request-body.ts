/** Reads the body of a request into memory, up to a limit. */
import type { IncomingMessage } from "node:http";
import { SpeechError } from "../../lib/errors.ts";

/**
 * The body is left to flow when it is too large: Node discards the rest, so that a client which writes all of it before
 * it reads still gets its answer, and cuts it off at the server's requestTimeout.
 * @throws {SpeechError} TEXT_TOO_LONG when it is larger; TRANSPORT_FAILED when it ends early.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  if (declaredBytes > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) parts.push(part);
      else {
        parts.length = 0;
        reject(tooLarge(maxBytes));
      }
    });
    request.on("end", () => resolve(Buffer.concat(parts)));
    request.on("error", (cause) => reject(endedEarly(cause)));
    request.on("close", () => reject(endedEarly()));
  });
}

function tooLarge(maxBytes: number): SpeechError {
  return new SpeechError(
    "TEXT_TOO_LONG",
    `the body must have at most ${maxBytes} bytes; send the text in parts`,
    {
      details: { maxBytes },
    },
  );
}

function endedEarly(cause?: unknown): SpeechError {
  return new SpeechError("TRANSPORT_FAILED", "the request ended before its body did", { cause });
}
