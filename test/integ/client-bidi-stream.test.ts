/** The SageMaker client against a server that fails in every way a connection can. All on loopback, all bounded. */
import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BidiLimits } from "../../lib/client/sagemaker/bidi-limits.ts";
import { BidiStream } from "../../lib/client/sagemaker/bidi-stream.ts";
import { resolveSpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import {
  exceptionEvent,
  type FakeSageMaker,
  goAwayFrame,
  open,
  partEvent,
  partsFrom,
  rstStreamFrame,
  type StreamHandler,
  startFakeSageMaker,
} from "../helpers/fake-sagemaker.ts";

const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };
/** The only stream of a connection has id 1. */
const STREAM_ID = 1;

vi.setConfig({ testTimeout: 10_000 });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function fake(onStream: StreamHandler): Promise<FakeSageMaker> {
  const server = await startFakeSageMaker(onStream);
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server;
}

function call(url: string, limits: Partial<BidiLimits> = {}, signal?: AbortSignal): BidiStream {
  const endpoint = resolveSpeechEndpoint({ endpointName: "speech", region: "us-east-1", overrideUrl: url });
  const stream = new BidiStream({
    endpoint,
    credentials: CREDENTIALS,
    limits: { connectTimeoutMs: 2_000, ...limits },
    ...(signal && { signal }),
  });
  cleanups.push(() => stream.destroy(new Error("test is over")));
  return stream;
}

const utf8 = (text: string) =>
  ({ bytes: Buffer.from(text), dataType: "UTF8", completionState: "COMPLETE" }) as const;

/** Everything until the end; a test that would hang fails by its own time limit. */
async function drain(
  stream: AsyncIterable<{ bytes: Uint8Array }>,
): Promise<{ parts: string[]; thrown: unknown }> {
  const parts: string[] = [];
  try {
    for await (const part of stream) parts.push(Buffer.from(part.bytes).toString("latin1"));
    return { parts, thrown: undefined };
  } catch (thrown) {
    return { parts, thrown };
  }
}

/** A server that answers with one part and then waits. */
const greeting: StreamHandler = (stream) => {
  stream.resume();
  open(stream);
  stream.write(partEvent("hello"));
};

describe("a stream that ends well", () => {
  it("echoes, in order, and ends by END_STREAM", async () => {
    const server = await fake(async (stream) => {
      open(stream);
      for await (const text of partsFrom(stream)) if (text !== null) stream.write(partEvent(text));
      stream.end(partEvent("after half-close"));
    });
    const stream = call(server.url);
    for (let i = 0; i < 20; i++) await stream.send(utf8(`part ${i}`));
    await stream.end();
    const { parts, thrown } = await drain(stream);
    expect(thrown).toBeUndefined();
    expect(parts).toEqual([...Array.from({ length: 20 }, (_, i) => `part ${i}`), "after half-close"]);
    await expect(stream.send(utf8("late"))).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("works while the server holds its response headers until the first part", async () => {
    const server = await fake(async (stream) => {
      for await (const text of partsFrom(stream)) {
        if (text === null) return void stream.end();
        if (!stream.headersSent) open(stream);
        stream.write(partEvent(text));
      }
    });
    const stream = call(server.url);
    await stream.send(utf8("first"));
    await stream.end();
    expect(await drain(stream)).toEqual({ parts: ["first"], thrown: undefined });
  });

  it("ends well for a reader that is slower than END_STREAM", async () => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      for (let i = 0; i < 50; i++) stream.write(partEvent(Buffer.alloc(1_000)));
      stream.end();
    });
    const stream = call(server.url);
    await stream.end();
    await stream.opened;
    await sleep(100);
    const { parts, thrown } = await drain(stream);
    expect(thrown).toBeUndefined();
    expect(parts).toHaveLength(50);
  });

  it("delivers all of an answer whose connection is closed right after it, to a reader however slow", async () => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      for (let i = 0; i < 150; i++) stream.write(partEvent(Buffer.alloc(1_000)));
      stream.end(() => setTimeout(() => server.link.close("reset"), 20));
    });
    const stream = call(server.url);
    await stream.opened;
    await sleep(150);
    const { parts, thrown } = await drain(stream);
    expect(thrown).toBeUndefined();
    expect(parts).toHaveLength(150);
  });

  it("survives a GOAWAY that lets the stream finish", async () => {
    const server = await fake((stream) => {
      greeting(stream, {});
      setTimeout(() => stream.end(partEvent("bye")), 80);
    });
    const stream = call(server.url);
    await stream.opened;
    server.link.inject(goAwayFrame(STREAM_ID, http2.constants.NGHTTP2_NO_ERROR));
    expect(await drain(stream)).toEqual({ parts: ["hello", "bye"], thrown: undefined });
  });

  it("closes its connection afterwards", async () => {
    const server = await fake((stream) => {
      open(stream);
      stream.end();
      stream.resume();
    });
    const stream = call(server.url);
    await drain(stream);
    await expect.poll(() => server.link.connectionCount).toBe(1);
  });
});

describe("a stream that is cut", () => {
  /** RFC 9113, section 7: NO_ERROR to HTTP_1_1_REQUIRED, and one that no RFC knows. */
  const codes = [...Array.from({ length: 14 }, (_, code) => code), 0xffff];

  for (const halfClosed of [false, true]) {
    const state = halfClosed ? "after half-close" : "while both ways are open";
    it.each(codes)(`throws on RST_STREAM code %d ${state}`, async (code) => {
      const server = await fake(greeting);
      const stream = call(server.url);
      if (halfClosed) await stream.end();
      await stream.opened;
      await sleep(10);
      server.link.inject(rstStreamFrame(STREAM_ID, code));
      const { thrown } = await drain(stream);
      expect(thrown).toMatchObject({
        code: code === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM ? "THROTTLED" : "TRANSPORT_FAILED",
        retryable: true,
      });
      await expect(stream.send(utf8("late"))).rejects.toBe(thrown);
    });

    it.each(["fin", "reset"] as const)(`throws on a %s of the socket ${state}`, async (how) => {
      const server = await fake(greeting);
      const stream = call(server.url);
      if (halfClosed) await stream.end();
      await stream.opened;
      await sleep(10);
      server.link.close(how);
      expect((await drain(stream)).thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
    });

    it.each([
      ["refuses the stream", 0, http2.constants.NGHTTP2_NO_ERROR],
      ["names an error", STREAM_ID, http2.constants.NGHTTP2_INTERNAL_ERROR],
    ])(`throws on a GOAWAY that %s ${state}`, async (_name, lastStreamId, code) => {
      const server = await fake(greeting);
      const stream = call(server.url);
      if (halfClosed) await stream.end();
      await stream.opened;
      server.link.inject(goAwayFrame(lastStreamId, code));
      expect((await drain(stream)).thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
    });
  }

  it("throws when the socket dies in the middle of an event, at any byte", async () => {
    for (const extraBytes of [1, 9, 20, 60, 120]) {
      const server = await fake(async (stream) => {
        stream.resume();
        open(stream);
        stream.write(partEvent("first"));
        await sleep(20);
        server.link.cutAfter(extraBytes);
        stream.write(partEvent(Buffer.alloc(1_000)));
      });
      const { parts, thrown } = await drain(call(server.url));
      expect(parts.slice(0, 1)).toEqual(["first"]);
      expect(thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
    }
  });

  it("throws when END_STREAM comes in the middle of an event", async () => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      stream.end(partEvent("hello").subarray(0, -3));
    });
    expect((await drain(call(server.url))).thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringContaining("in the middle of an event"),
    });
  });

  it("throws when the server closes without any answer", async () => {
    const server = await fake((stream) => stream.session?.destroy());
    const stream = call(server.url);
    expect((await drain(stream)).thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
    await expect(stream.opened).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });
});

describe("a server that breaks the wire", () => {
  it.each<[string, () => Buffer, RegExp]>([
    [
      "a damaged checksum",
      () => {
        const event = partEvent("hello");
        event[event.length - 1]! ^= 1;
        return event;
      },
      /damaged/,
    ],
    ["an oversized event", () => partEvent(Buffer.alloc(5_000)), /allowed are 4096/],
    ["an impossible length", () => Buffer.alloc(64), /impossible length/],
  ])("throws on %s", async (_name, bytes, message) => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      stream.write(bytes());
    });
    const { thrown } = await drain(call(server.url, { frameMaxBytes: 4_096 }));
    expect(thrown).toMatchObject({ code: "PROTOCOL_VIOLATION", message: expect.stringMatching(message) });
  });

  it("throws on an answer that is no event stream", async () => {
    const server = await fake((stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<html>");
    });
    expect((await drain(call(server.url))).thrown).toMatchObject({
      code: "PROTOCOL_VIOLATION",
      message: expect.stringContaining("text/html"),
    });
  });

  it("throws when the server does not speak HTTP/2", async () => {
    const server = net.createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    cleanups.push(() => server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const stream = call(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
    expect((await drain(stream)).thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
  });
});

describe("a service that refuses or fails", () => {
  it.each([
    [403, "AccessDeniedException", {}, "ACCESS_DENIED"],
    [403, "InvalidSignatureException", { message: "mismatch" }, "ACCESS_DENIED"],
    [400, "InputValidationError", { Message: "no" }, "INVALID_REQUEST"],
    [424, "ModelError", { OriginalStatusCode: 503, OriginalMessage: "busy" }, "QUEUE_SATURATED"],
    [429, "ThrottlingException", {}, "THROTTLED"],
    [500, "InternalServerError", {}, "TRANSPORT_FAILED"],
    [503, "ServiceUnavailableError", {}, "MODEL_NOT_READY"],
  ])("throws on HTTP %d %s, from send, opened and iteration alike", async (status, type, body, code) => {
    const server = await fake((stream) => {
      stream.respond({
        ":status": status,
        "content-type": "application/json",
        "x-amzn-errortype": type,
        "x-amzn-requestid": "r-1",
      });
      stream.end(JSON.stringify(body));
    });
    const stream = call(server.url);
    const { thrown } = await drain(stream);
    expect(thrown).toMatchObject({ code, details: { httpStatus: status, awsRequestId: "r-1" } });
    await expect(stream.opened).rejects.toBe(thrown);
    await expect(stream.send(utf8("late"))).rejects.toBe(thrown);
  });

  it.each([
    ["ModelStreamError", { Message: "no such voice", ErrorCode: "UNKNOWN_VOICE" }, "UNKNOWN_VOICE"],
    ["ModelStreamError", { Message: "x", ErrorCode: "1011" }, "SYNTHESIS_FAILED"],
    ["InternalStreamFailure", { Message: "x" }, "TRANSPORT_FAILED"],
  ])("throws on the exception event %s after the parts before it", async (type, body, code) => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      stream.write(partEvent("hello"));
      stream.end(exceptionEvent(type, body));
    });
    const { parts, thrown } = await drain(call(server.url));
    expect(parts).toEqual(["hello"]);
    expect(thrown).toMatchObject({ code });
  });
});

describe("a server whose refusal has no end", () => {
  it("throws in time, by the status alone", async () => {
    const server = await fake((stream) => stream.respond({ ":status": 503 }));
    const { thrown } = await drain(call(server.url, { connectTimeoutMs: 100 }));
    expect(thrown).toMatchObject({ code: "MODEL_NOT_READY" });
  });
});

describe("a network that is silent", () => {
  it("throws in time when nobody listens", async () => {
    const server = net.createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as net.AddressInfo;
    server.close();
    await once(server, "close");
    expect((await drain(call(`http://127.0.0.1:${port}`))).thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringMatching(/refused the connection/),
      details: { networkCode: "ECONNREFUSED" },
      cause: expect.any(Error),
    });
  });

  it("throws in time when the server accepts and says nothing", async () => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => sockets.push(socket.on("error", () => {})));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const startMs = performance.now();
    const stream = call(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, {
      connectTimeoutMs: 100,
    });
    expect((await drain(stream)).thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringMatching(/within 100 ms/),
    });
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  it("throws when a peer that vanished does not answer pings", async () => {
    const server = await fake(greeting);
    const stream = call(server.url, { pingIntervalMs: 30, pingTimeoutMs: 60 });
    await stream.opened;
    server.link.freeze();
    expect((await drain(stream)).thrown).toMatchObject({
      message: expect.stringMatching(/did not answer a ping/),
    });
  });

  it("stays open through many pings, also while the reader stands still", async () => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      for (let i = 0; i < 60; i++) stream.write(partEvent(Buffer.alloc(10_000)));
      stream.end();
    });
    const stream = call(server.url, { pingIntervalMs: 20, pingTimeoutMs: 200, windowBytes: 65_536 });
    await stream.opened;
    await sleep(500);
    const { parts, thrown } = await drain(stream);
    expect(thrown).toBeUndefined();
    expect(parts).toHaveLength(60);
  });

  it("throws when both sides were idle too long", async () => {
    const server = await fake(greeting);
    const stream = call(server.url, { idleTimeoutMs: 100 });
    expect((await drain(stream)).thrown).toMatchObject({ message: expect.stringMatching(/for 100 ms/) });
  });
});

describe("a caller who leaves", () => {
  it("throws the signal's reason before it connects", async () => {
    const server = await fake(greeting);
    const signal = AbortSignal.abort();
    const stream = call(server.url, {}, signal);
    expect((await drain(stream)).thrown).toBe(signal.reason);
    await expect(stream.send(utf8("x"))).rejects.toBe(signal.reason);
    expect(server.link.connectionCount).toBe(0);
  });

  it("throws the signal's reason while it connects", async () => {
    const controller = new AbortController();
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => sockets.push(socket.on("error", () => {})));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const stream = call(url, {}, controller.signal);
    const sending = stream.send(utf8("x"));
    const outcomes = Promise.allSettled([sending, stream.opened]);
    await once(server, "connection");
    controller.abort();
    expect((await drain(stream)).thrown).toBe(controller.signal.reason);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: controller.signal.reason });
    }
  });

  it("throws the signal's reason in the middle of audio, and the server sees a cancelled stream", async () => {
    const controller = new AbortController();
    const seen = Promise.withResolvers<number>();
    const server = await fake((stream) => {
      stream.on("close", () => seen.resolve(stream.rstCode));
      greeting(stream, {});
    });
    const stream = call(server.url, {}, controller.signal);
    const parts: string[] = [];
    let thrown: unknown;
    try {
      for await (const part of stream) {
        parts.push(Buffer.from(part.bytes).toString());
        controller.abort();
      }
    } catch (error) {
      thrown = error;
    }
    expect(parts).toEqual(["hello"]);
    expect(thrown).toBe(controller.signal.reason);
    expect(await seen.promise).toBe(http2.constants.NGHTTP2_CANCEL);
  });

  it("throws the reason at once, though parts lie unread", async () => {
    const server = await fake((stream) => {
      stream.resume();
      open(stream);
      for (let i = 0; i < 20; i++) stream.write(partEvent(Buffer.alloc(1_000)));
    });
    const stream = call(server.url);
    const parts = stream[Symbol.asyncIterator]();
    await parts.next();
    await sleep(50);
    const reason = new Error("enough");
    stream.destroy(reason);
    await expect(parts.next()).rejects.toBe(reason);
  });

  it("cancels the stream when the reader leaves early", async () => {
    const seen = Promise.withResolvers<number>();
    const server = await fake((stream) => {
      stream.on("close", () => seen.resolve(stream.rstCode));
      greeting(stream, {});
    });
    for await (const _part of call(server.url)) break;
    expect(await seen.promise).not.toBe(http2.constants.NGHTTP2_NO_ERROR);
  });

  it("wakes a writer that waits for the window", async () => {
    const server = await fake((stream) => open(stream));
    const stream = call(server.url);
    const reason = new Error("enough");
    const sends = Promise.allSettled(
      Array.from({ length: 10 }, () => stream.send({ bytes: Buffer.alloc(100_000) })),
    );
    await sleep(50);
    stream.destroy(reason);
    const outcomes = await sends;
    expect(outcomes.at(-1)).toMatchObject({ status: "rejected", reason });
  });
});

describe("back-pressure", () => {
  it("lets a server write no more than the window ahead of a slow reader", async () => {
    const totalParts = 400;
    const partBytes = 48_000;
    let writtenBytes = 0;
    const server = await fake(async (stream) => {
      stream.resume();
      open(stream);
      for (let i = 0; i < totalParts && !stream.destroyed; i++) {
        const event = partEvent(Buffer.alloc(partBytes));
        // Called when the frame has gone into the client's window.
        await new Promise((resolve) => stream.write(event, resolve));
        writtenBytes += event.length;
      }
      stream.end();
    });
    const windowBytes = 128 * 1024;
    const stream = call(server.url, { windowBytes });
    const parts = stream[Symbol.asyncIterator]();
    await parts.next();
    await sleep(300);
    // The window, what the client holds (64 KiB) and a part in each hand; of 19 MB.
    expect(writtenBytes).toBeLessThan(windowBytes + 64 * 1024 + 3 * partBytes);
    for (let i = 1; i < totalParts; i++) expect((await parts.next()).done).toBe(false);
    expect((await parts.next()).done).toBe(true);
  });

  it("does not resolve send() before the server's window has room", async () => {
    const gate = Promise.withResolvers<void>();
    const server = await fake(async (stream) => {
      open(stream);
      await gate.promise;
      for await (const text of partsFrom(stream)) if (text === null) stream.end();
    });
    const stream = call(server.url);
    let taken = 0;
    const sends = Array.from({ length: 20 }, () =>
      stream.send({ bytes: Buffer.alloc(20_000) }).then(() => {
        taken++;
      }),
    );
    await sleep(200);
    // 64 KiB is what HTTP/2 grants without asking: three parts fit, 400 kB do not.
    expect(taken).toBeLessThanOrEqual(4);
    gate.resolve();
    await Promise.all(sends);
    await stream.end();
    expect((await drain(stream)).thrown).toBeUndefined();
  });
});
