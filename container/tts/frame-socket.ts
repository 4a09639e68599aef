/**
 * One accepted WebSocket as a session needs it: frames in, frames out with back-pressure, and one signal that tells
 * that the peer is gone, however it went. It also ends connections that are dead or that take nothing.
 */
import type { WebSocket } from "ws";
import { SpeechError } from "../../lib/errors.ts";
import { MISSED_PONGS_ALLOWED, PING_INTERVAL_MS } from "../../lib/protocol/limits.ts";

/**
 * `send` waits once so much is unsent: at 48,000 bytes a second a little over a second of audio. Enough that the network
 * never idles between two slices, little enough that a cancel leaves nothing much behind.
 */
const HIGH_WATER_BYTES = 64 * 1024;

/** A peer that takes not one frame for so long is gone or stuck; one that reads as it plays takes one each second. */
const STALL_MS = 60_000;

export interface FrameSocketOptions {
  readonly stallMs?: number;
  readonly pingIntervalMs?: number;
  readonly highWaterBytes?: number;
}

export class FrameSocket {
  /** A whole message, fragments joined, of either kind. Set it before the first one can come. */
  onMessage: (frame: Buffer) => void = () => {};
  readonly #socket: WebSocket;
  readonly #gone = new AbortController();
  readonly #stallMs: number;
  readonly #highWaterBytes: number;
  #missedPongs = 0;

  constructor(socket: WebSocket, options: FrameSocketOptions = {}) {
    this.#socket = socket;
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#highWaterBytes = options.highWaterBytes ?? HIGH_WATER_BYTES;
    const heartbeat = setInterval(() => this.#beat(), options.pingIntervalMs ?? PING_INTERVAL_MS);
    socket.on("message", (frame: Buffer) => {
      this.#missedPongs = 0;
      this.onMessage(frame);
    });
    socket.on("pong", () => {
      this.#missedPongs = 0;
    });
    // Always followed by "close", but perhaps much later: whatever is still computed is for nobody.
    socket.on("error", () => this.#leave());
    socket.on("close", () => {
      clearInterval(heartbeat);
      this.#leave();
    });
  }

  /** Aborts when the connection is over, by either side. Its reason is TRANSPORT_FAILED. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Sends one frame, text or binary. Resolves when there is room for more.
   * @throws {SpeechError} TRANSPORT_FAILED when the peer is gone, or takes nothing.
   */
  send(frame: string | Uint8Array): Promise<void> {
    if (this.#gone.signal.aborted) return Promise.reject(this.#gone.signal.reason);
    return new Promise((resolve, reject) => {
      let stall: NodeJS.Timeout | undefined;
      const finish = (error?: Error | null) => {
        clearTimeout(stall);
        if (error) reject(this.#leave());
        else resolve();
      };
      this.#socket.send(frame, { binary: typeof frame !== "string" }, finish);
      if (this.#socket.bufferedAmount <= this.#highWaterBytes) resolve();
      else stall = setTimeout(() => this.terminate(), this.#stallMs);
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes after what was sent; the peer answers, or is cut off by ws after 30 s. */
  close(code: number, reason: string): void {
    // A paused socket would never see the peer's answer.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
    this.#leave();
  }

  /** Only a dead peer is found this way: SageMaker and browsers answer pings by themselves. */
  #beat(): void {
    if (this.#socket.isPaused) return; // its pongs would lie unread; sending finds it out instead
    if (++this.#missedPongs > MISSED_PONGS_ALLOWED) this.terminate();
    else this.#socket.ping();
  }

  #leave(): SpeechError {
    if (!this.#gone.signal.aborted) {
      this.#gone.abort(new SpeechError("TRANSPORT_FAILED", "the caller is gone"));
    }
    return this.#gone.signal.reason;
  }
}
