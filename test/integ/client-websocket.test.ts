/** The WebSocket connection against servers that fail. All on loopback, all bounded. */
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { WebSocketConnection, type WebSocketOptions } from "../../lib/client/websocket-connection.ts";
import { connectWebSocket } from "../../lib/client/websocket-transport.ts";

vi.setConfig({ testTimeout: 10_000 });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: net.Server): Promise<URL> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return new URL(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
}

async function serve(onSocket: (socket: WebSocket, raw: net.Socket) => void): Promise<URL> {
  const server = http.createServer();
  const wss = new WebSocketServer({ server });
  wss.on("connection", (socket, request) => {
    cleanups.push(() => socket.terminate());
    socket.on("error", () => {});
    onSocket(socket, request.socket);
  });
  return listen(server);
}

function connect(url: URL, options: Partial<WebSocketOptions> = {}): WebSocketConnection {
  const connection = new WebSocketConnection({ url, ...options });
  cleanups.push(() => connection.destroy(new Error("test is over")));
  return connection;
}

async function drain(messages: AsyncIterable<unknown>): Promise<{ count: number; thrown: unknown }> {
  let count = 0;
  try {
    for await (const _message of messages) count++;
    return { count, thrown: undefined };
  } catch (thrown) {
    return { count, thrown };
  }
}

describe("an end", () => {
  it.each([1000, undefined])("is clean by close code %s, after all messages", async (code) => {
    const url = await serve((socket) => {
      for (let i = 0; i < 100; i++) socket.send(Buffer.alloc(1_000));
      socket.close(code);
    });
    const connection = connect(url);
    await sleep(100);
    expect(await drain(connection.messages)).toEqual({ count: 100, thrown: undefined });
  });

  it.each([
    [1001, "TRANSPORT_FAILED"],
    [1002, "PROTOCOL_VIOLATION"],
    [1009, "TEXT_TOO_LONG"],
    [1011, "SYNTHESIS_FAILED"],
    [1013, "QUEUE_SATURATED"],
    [4000, "SYNTHESIS_FAILED"],
  ])("throws by close code %d, which it names", async (closeCode, code) => {
    const url = await serve((socket) => {
      socket.send("hello");
      socket.close(closeCode);
    });
    const { count, thrown } = await drain(connect(url).messages);
    expect(count).toBe(1);
    expect(thrown).toMatchObject({
      code,
      details: { closeCode },
      message: expect.stringContaining(String(closeCode)),
    });
  });

  it.each(["terminate", "reset", "fin"] as const)("throws when the peer vanishes by %s", async (how) => {
    const url = await serve((socket, raw) => {
      socket.send("hello", () => {
        if (how === "terminate") socket.terminate();
        else if (how === "reset") raw.resetAndDestroy();
        else raw.end();
      });
    });
    const connection = connect(url);
    expect((await drain(connection.messages)).thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
    await expect(connection.send("late")).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("throws when a frame is cut, broken or too large", async () => {
    const bytes: [string, string][] = [
      ["82 7e 03 e8 00 00", "TRANSPORT_FAILED"], // 1,000 bytes announced, two sent, then FIN
      ["ff 00", "PROTOCOL_VIOLATION"], // reserved bits
      ["82 7f 00 00 00 00 7f ff ff ff", "PROTOCOL_VIOLATION"], // 2 GB
    ];
    for (const [hex, code] of bytes) {
      const url = await serve((_socket, raw) => raw.end(Buffer.from(hex.replaceAll(" ", ""), "hex")));
      expect((await drain(connect(url).messages)).thrown).toMatchObject({ code });
    }
  });
});

describe("an opening", () => {
  it.each([
    [503, '{"error":{"code":"QUEUE_SATURATED","message":"queue_saturated: full"}}', "QUEUE_SATURATED"],
    [503, "busy", "MODEL_NOT_READY"],
    [404, "<html>", "NOT_FOUND"],
    [400, "", "INVALID_REQUEST"],
    [302, "", "TRANSPORT_FAILED"],
  ])("throws on HTTP %d %s", async (status, body, code) => {
    const server = http.createServer();
    server.on("upgrade", (_request, socket) => {
      const head = `HTTP/1.1 ${status} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\nlocation: /\r\n\r\n`;
      socket.end(head + body);
    });
    const connection = connect(await listen(server));
    const { thrown } = await drain(connection.messages);
    expect(thrown).toMatchObject({ code, details: { httpStatus: status } });
    await expect(connection.opened).rejects.toBe(thrown);
    await expect(connection.send("x")).rejects.toBe(thrown);
  });

  it("throws when nobody listens", async () => {
    const server = net.createServer();
    const url = await listen(server);
    server.close();
    await once(server, "close");
    expect((await drain(connect(url).messages)).thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringContaining("refused the connection"),
    });
  });

  it("throws in time when the server accepts and says nothing", async () => {
    const url = await listen(net.createServer((socket) => cleanups.push(() => socket.destroy())));
    const { thrown } = await drain(connect(url, { handshakeTimeoutMs: 100 }).messages);
    expect(thrown).toMatchObject({ message: expect.stringContaining("did not accept a WebSocket in time") });
  });

  it("throws in time when an upgrade is refused without an end", async () => {
    const server = http.createServer();
    server.on("upgrade", (_request, socket) => {
      socket.write("HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\nbeg");
      cleanups.push(() => socket.destroy());
    });
    const { thrown } = await drain(connect(await listen(server), { handshakeTimeoutMs: 100 }).messages);
    expect(thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("throws the signal's reason, before, while and after it opens", async () => {
    const silent = await listen(net.createServer((socket) => cleanups.push(() => socket.destroy())));
    const before = AbortSignal.abort();
    expect((await drain(connect(silent, { signal: before }).messages)).thrown).toBe(before.reason);
    const whileOpening = new AbortController();
    setTimeout(() => whileOpening.abort(), 30);
    const { thrown } = await drain(connect(silent, { signal: whileOpening.signal }).messages);
    expect(thrown).toBe(whileOpening.signal.reason);
    const after = new AbortController();
    const url = await serve((socket) => socket.send("hello"));
    const connection = connect(url, { signal: after.signal });
    await connection.opened;
    setTimeout(() => after.abort(), 30);
    expect((await drain(connection.messages)).thrown).toBe(after.signal.reason);
  });
});

describe("a caller who leaves", () => {
  it("gets the reason at once, though messages lie unread", async () => {
    const url = await serve((socket) => {
      for (let i = 0; i < 20; i++) socket.send(Buffer.alloc(1_000));
    });
    const connection = connect(url);
    const messages = connection.messages[Symbol.asyncIterator]();
    await messages.next();
    await sleep(50);
    const reason = new Error("enough");
    connection.destroy(reason);
    await expect(messages.next()).rejects.toBe(reason);
  });
});

describe("a peer that is silent", () => {
  it("is noticed by pings", async () => {
    const url = await serve((_socket, raw) => raw.pause());
    const connection = connect(url, { pingIntervalMs: 40 });
    expect((await drain(connection.messages)).thrown).toMatchObject({
      message: expect.stringContaining("did not answer a ping"),
    });
  });

  it("is left alone while it answers pings, also with a reader that stands still", async () => {
    const url = await serve((socket) => {
      for (let i = 0; i < 40; i++) socket.send(Buffer.alloc(20_000));
    });
    const connection = connect(url, { pingIntervalMs: 20, bufferMaxBytes: 50_000 });
    const messages = connection.messages[Symbol.asyncIterator]();
    for (let i = 0; i < 40; i++) {
      if (i % 10 === 0) await sleep(80);
      expect((await messages.next()).done).toBe(false);
    }
    await sleep(100);
    await connection.send("still here");
  });

  it("is dropped when both sides were idle too long", async () => {
    const url = await serve(() => {});
    expect((await drain(connect(url, { idleTimeoutMs: 80 }).messages)).thrown).toMatchObject({
      message: expect.stringContaining("for 80 ms"),
    });
  });
});

describe("back-pressure", () => {
  it("stops reading while the reader stands still, and loses nothing", async () => {
    const count = 2_000;
    let takenBytes = 0;
    const url = await serve((socket) => {
      let sent = 0;
      const next = () => {
        if (sent++ === count) return socket.close(1000);
        socket.send(Buffer.alloc(10_000), () => {
          takenBytes += 10_000;
          next();
        });
      };
      next();
    });
    const connection = connect(url, { bufferMaxBytes: 100_000 });
    const messages = connection.messages[Symbol.asyncIterator]();
    await messages.next();
    let before = -1;
    while (takenBytes > before) {
      before = takenBytes;
      await sleep(200);
    }
    // The kernel's buffers on loopback hold some megabytes; the 20 MB do not pass.
    expect(takenBytes).toBeLessThan(12_000_000);
    let read = 1;
    while (!(await messages.next()).done) read++;
    expect(read).toBe(count);
  });

  it("does not resolve send() before the socket has room", async () => {
    const held: net.Socket[] = [];
    const url = await serve((_socket, raw) => {
      raw.pause();
      held.push(raw);
    });
    const connection = connect(url);
    await connection.opened;
    const total = 40;
    let taken = 0;
    const sends = Array.from({ length: total }, () =>
      connection.send(Buffer.alloc(1_000_000)).then(() => {
        taken++;
      }),
    );
    let before = -1;
    while (taken > before) {
      before = taken;
      await sleep(200);
    }
    expect(taken).toBeLessThan(total / 2);
    connection.destroy(new Error("enough"));
    expect((await Promise.allSettled(sends)).filter((sent) => sent.status === "rejected").length).toBe(
      total - taken,
    );
  });
});

describe("connectWebSocket", () => {
  it("asks the container's route, whatever path the URL has", async () => {
    const paths: string[] = [];
    const server = http.createServer();
    const wss = new WebSocketServer({ server });
    wss.on("connection", (socket, request) => {
      paths.push(request.url ?? "");
      socket.on("message", (data) => socket.send(data as Buffer, { binary: true }));
    });
    cleanups.push(() => wss.clients.forEach((client) => void client.terminate()));
    const transport = connectWebSocket({ url: new URL("/elsewhere", await listen(server)) });
    await transport.send("hello");
    const parts = transport.parts[Symbol.asyncIterator]();
    expect(Buffer.from((await parts.next()).value!).toString()).toBe("hello");
    await transport.end();
    expect((await parts.next()).done).toBe(true);
    expect(paths).toEqual(["/invocations-bidirectional-stream"]);
  });
});
