/**
 * Steps that every stand-in's exchanges have in common, over either HTTP version: a body read within a limit, a
 * write that waits for the reader, a refusal after which the rest of the request is told to stop.
 */
import type http from "node:http";
import { AwsFault, toAwsFault } from "./aws-fault.ts";
import type { HttpRequest, HttpResponse } from "./http-listener.ts";

/** @throws {AwsFault} 413 when the body is too long; reads no more than that. */
export async function readBody(request: HttpRequest, maxBytes: number): Promise<Buffer> {
  const tooLong = new AwsFault(413, "ValidationError", `the request body is longer than ${maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw tooLong;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Resolves when the response can take more. @throws when the caller has left. */
export async function write(response: HttpResponse, chunk: Buffer): Promise<void> {
  if (response.destroyed) throw new Error("the caller left");
  if ((response as http.ServerResponse).write(chunk)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Answers a refusal; nothing when the response has begun (then only a broken connection tells the truth). */
export function answerFault(
  request: HttpRequest,
  response: HttpResponse,
  error: unknown,
  requestId: string,
): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const fault = toAwsFault(error);
  (response as http.ServerResponse).writeHead(fault.status, fault.headers(requestId));
  response.end(fault.body());
  drain(request, response);
}

/** After a refusal the rest of the body is not wanted: HTTP/1.1 closes, an HTTP/2 stream is told to stop. */
function drain(request: HttpRequest, response: HttpResponse): void {
  if ("stream" in request) {
    request.stream.resume();
    const close = () => setTimeout(() => request.stream.close(), 100).unref();
    if (response.writableFinished) close();
    else response.on("finish", close);
  } else {
    request.resume();
    response.on("finish", () => request.complete || request.destroy());
  }
}
