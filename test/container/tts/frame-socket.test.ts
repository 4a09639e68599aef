import { EventEmitter } from "node:events";
import { setImmediate as nextLoop } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { FrameSocket } from "../../../container/tts/frame-socket.ts";

/** As much of a ws WebSocket as is used: what is sent stays buffered until `drain`. */
class FakeWebSocket extends EventEmitter {
  readonly sent: (string | Uint8Array)[] = [];
  bufferedAmount = 0;
  isPaused = false;
  pings = 0;
  isTerminated = false;
  readonly #callbacks: ((error?: Error) => void)[] = [];

  send(data: string | Uint8Array, _options: object, callback: (error?: Error) => void): void {
    this.sent.push(data);
    this.bufferedAmount += data.length;
    this.#callbacks.push(callback);
  }
  drain(error?: Error): void {
    this.bufferedAmount = 0;
    for (const callback of this.#callbacks.splice(0)) callback(error);
  }
  ping(): void {
    this.pings++;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {}
  terminate(): void {
    this.isTerminated = true;
    this.drain(new Error("closed"));
    this.emit("close");
  }
}

let fake: FakeWebSocket;
let socket: FrameSocket;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
  fake = new FakeWebSocket();
  socket = new FrameSocket(fake as unknown as WebSocket, {
    highWaterBytes: 10,
    stallMs: 450,
    pingIntervalMs: 100,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  void promise.then(
    () => {
      pending = false;
    },
    () => {
      pending = false;
    },
  );
  await nextLoop();
  return pending;
}

describe("sending", () => {
  test("goes on while little is unsent, and waits above that until there is room", async () => {
    await socket.send("12345");
    await socket.send("12345");
    const over = socket.send("1");
    expect(await isPending(over)).toBe(true);
    fake.drain();
    await over;
    expect(fake.sent).toEqual(["12345", "12345", "1"]);
  });

  test("fails at once when the peer is gone, and what waits fails too", async () => {
    const waiting = socket.send(new Uint8Array(11));
    fake.drain(new Error("EPIPE"));
    await expect(waiting).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    await expect(socket.send("more")).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(fake.sent).toHaveLength(1);
    expect(socket.gone.aborted).toBe(true);
  });

  test("ends a connection that takes nothing for too long", async () => {
    const waiting = socket.send(new Uint8Array(11));
    vi.advanceTimersByTime(449);
    expect(fake.isTerminated).toBe(false);
    vi.advanceTimersByTime(1);
    expect(fake.isTerminated).toBe(true);
    await expect(waiting).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });
});

describe("the peer", () => {
  test.each(["close", "error"])("is gone by %s", (event) => {
    fake.emit(event, new Error("reset"));
    expect(socket.gone.aborted).toBe(true);
    expect(socket.gone.reason).toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  test("is pinged, and given up after five pongs missed", () => {
    vi.advanceTimersByTime(500);
    expect([fake.pings, fake.isTerminated]).toEqual([5, false]);
    vi.advanceTimersByTime(100);
    expect(fake.isTerminated).toBe(true);
  });

  test.each(["pong", "message"])("is alive by a %s", (event) => {
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(100);
      fake.emit(event, Buffer.from(""));
    }
    expect(fake.isTerminated).toBe(false);
  });

  test("is not given up while we ourselves do not read", () => {
    socket.pause();
    vi.advanceTimersByTime(5_000);
    expect(fake.isTerminated).toBe(false);
    socket.resume();
    vi.advanceTimersByTime(600);
    expect(fake.isTerminated).toBe(true);
  });
});
