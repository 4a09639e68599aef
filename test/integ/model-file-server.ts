/** A web server that has one file, knows ranges, and misbehaves on demand. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface FileServer {
  readonly url: string;
  /** `Range` of each request, in order; undefined where there was none. */
  readonly ranges: (string | undefined)[];
  close(): Promise<void>;
}

export interface Misbehaviour {
  /** Cuts the connection after so many bytes of each answer. */
  readonly cutAfterBytes?: number;
  /** Sends the whole file whatever was asked. */
  readonly ignoresRanges?: boolean;
  readonly status?: number;
  /** Never answers. */
  readonly isSilent?: boolean;
  /** Stops sending after the first bytes, and stays. */
  readonly stallsAfterBytes?: number;
  /** Sends in pieces with this pause. */
  readonly pauseMs?: number;
}

export async function serveFile(content: Uint8Array, misbehaviour: Misbehaviour = {}): Promise<FileServer> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response, content, misbehaviour).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/file`,
    ranges,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  content: Uint8Array,
  misbehaviour: Misbehaviour,
): Promise<void> {
  if (misbehaviour.isSilent) return;
  if (misbehaviour.status !== undefined) {
    response.writeHead(misbehaviour.status).end("no");
    return;
  }
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const isPartial = request.headers.range !== undefined && !misbehaviour.ignoresRanges;
  const body = isPartial ? content.subarray(start) : content;
  response.writeHead(isPartial ? 206 : 200, {
    "Content-Length": body.byteLength,
    ...(isPartial && { "Content-Range": `bytes ${start}-${content.byteLength - 1}/${content.byteLength}` }),
  });
  const { cutAfterBytes, stallsAfterBytes, pauseMs = 0 } = misbehaviour;
  const end = Math.min(cutAfterBytes ?? body.byteLength, stallsAfterBytes ?? body.byteLength);
  for (let offset = 0; offset < end; offset += 64 * 1024) {
    response.write(body.subarray(offset, Math.min(end, offset + 64 * 1024)));
    await delay(pauseMs);
  }
  if (cutAfterBytes !== undefined && end < body.byteLength) response.destroy();
  else if (end === body.byteLength) response.end();
}
