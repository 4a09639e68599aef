/**
 * A bare HTTP/2 server where SageMaker's runtime would be, whose every answer is written by the test, and a TCP
 * link in between on which a test can do what no proper server does: send raw HTTP/2 frames, cut, stall, reset.
 */
import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { decodeEvent, EventStreamReader, encodeEvent } from "../../lib/local/event-stream.ts";

export type StreamHandler = (
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
) => void | Promise<void>;

export interface FakeSageMaker extends AsyncDisposable {
  /** Reached through the link. */
  readonly url: string;
  readonly link: TcpLink;
  /** Calls that reached the server. */
  readonly callCount: number;
}

export async function startFakeSageMaker(
  onStream: StreamHandler,
  tls?: { key: string; cert: string },
): Promise<FakeSageMaker> {
  const server = tls ? http2.createSecureServer(tls) : http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  let callCount = 0;
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    callCount++;
    stream.on("error", () => {});
    void onStream(stream as http2.ServerHttp2Stream, headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const link = await startTcpLink((server.address() as net.AddressInfo).port);
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${link.port}`,
    link,
    get callCount() {
      return callCount;
    },
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

export interface TcpLink extends AsyncDisposable {
  readonly port: number;
  readonly connectionCount: number;
  /** Bytes that went from the server to the client. */
  readonly downBytes: number;
  /** Writes bytes to the client as if the server had: at a moment when no frame is under way. */
  inject(bytes: Uint8Array): void;
  /** Cuts the client off after so many more bytes of the server's. */
  cutAfter(downBytes: number): void;
  /** Closes the client's socket: politely (FIN) or not (RST). */
  close(how: "fin" | "reset"): void;
  /** Swallows everything from now on, both ways. */
  freeze(): void;
}

async function startTcpLink(serverPort: number): Promise<TcpLink> {
  const pairs = new Set<{ client: net.Socket; upstream: net.Socket }>();
  let downBytes = 0;
  let connectionCount = 0;
  let budgetBytes = Number.POSITIVE_INFINITY;
  let frozen = false;
  const server = net.createServer((client) => {
    connectionCount++;
    const upstream = net.connect(serverPort, "127.0.0.1");
    const pair = { client, upstream };
    pairs.add(pair);
    const drop = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
    };
    for (const socket of [client, upstream]) socket.on("error", drop).on("close", drop).setNoDelay();
    client.on("data", (bytes) => {
      if (!frozen) upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (frozen) return;
      const passed = bytes.subarray(0, budgetBytes);
      budgetBytes -= passed.length;
      downBytes += passed.length;
      const onward = client.write(passed);
      if (budgetBytes === 0) client.destroySoon();
      else if (!onward) {
        upstream.pause();
        client.once("drain", () => upstream.resume());
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    get connectionCount() {
      return connectionCount;
    },
    get downBytes() {
      return downBytes;
    },
    inject(bytes) {
      for (const { client } of pairs) client.write(bytes);
    },
    cutAfter(bytes) {
      budgetBytes = bytes;
    },
    close(how) {
      for (const { client } of pairs) how === "fin" ? client.end() : client.resetAndDestroy();
    },
    freeze() {
      frozen = true;
    },
    async [Symbol.asyncDispose]() {
      for (const { client, upstream } of pairs) {
        client.destroy();
        upstream.destroy();
      }
      server.close();
    },
  };
}

/** RFC 9113, section 6.4. */
export function rstStreamFrame(streamId: number, code: number): Buffer {
  const frame = Buffer.alloc(13);
  frame.writeUInt8(4, 2);
  frame.writeUInt8(0x3, 3);
  frame.writeUInt32BE(streamId, 5);
  frame.writeUInt32BE(code, 9);
  return frame;
}

/** RFC 9113, section 6.8. */
export function goAwayFrame(lastStreamId: number, code: number): Buffer {
  const frame = Buffer.alloc(17);
  frame.writeUInt8(8, 2);
  frame.writeUInt8(0x7, 3);
  frame.writeUInt32BE(lastStreamId, 9);
  frame.writeUInt32BE(code, 13);
  return frame;
}

export function open(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ":status": 200, "content-type": "application/vnd.amazon.eventstream" });
}

export function partEvent(bytes: Uint8Array | string, completionState = "COMPLETE"): Buffer {
  const headers = {
    ":message-type": "event",
    ":event-type": "PayloadPart",
    ":content-type": "application/octet-stream",
    DataType: typeof bytes === "string" ? "UTF8" : "BINARY",
    CompletionState: completionState,
  };
  return encodeEvent(headers, Buffer.from(bytes));
}

export function exceptionEvent(type: string, body: object): Buffer {
  const headers = {
    ":message-type": "exception",
    ":exception-type": type,
    ":content-type": "application/json",
  };
  return encodeEvent(headers, Buffer.from(JSON.stringify(body)));
}

/** Parts that a client sent, without a look at their signatures; `null` for the empty event that ends the input. */
export async function* partsFrom(stream: http2.ServerHttp2Stream): AsyncGenerator<string | null> {
  const reader = new EventStreamReader(16 * 1024 * 1024);
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    for (const outer of reader.push(chunk)) {
      yield outer.payload.length === 0 ? null : decodeEvent(outer.payload).payload.toString("utf8");
    }
  }
}
