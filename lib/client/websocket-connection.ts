/**
 * A WebSocket as this program wants it: messages are pulled (reading stops when the reader is slow), `send` waits
 * for the socket, every wait is bounded, and the messages end without an error only after a proper Close frame of
 * code 1000 (or none given). Speech and agent connections both stand on it.
 */
import type { IncomingMessage } from "node:http";
import { type RawData, WebSocket } from "ws";
import { SpeechError } from "../errors.ts";
import { MESSAGE_MAX_BYTES, SESSION_LIMIT_MS } from "../protocol/limits.ts";
import { ERROR_BODY_MAX_BYTES, httpError } from "./http-error.ts";
import { fromCloseCode } from "./model-stream-error.ts";
import { networkError } from "./network-error.ts";
import { USER_AGENT } from "./user-agent.ts";

export interface WebSocketOptions {
  /** `ws:` or `wss:`; `http:` and `https:` are taken for them. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborting destroys the connection with the signal's reason. */
  readonly signal?: AbortSignal;
  /** @default 10000 */
  readonly handshakeTimeoutMs?: number;
  /** Longest message taken. @default 1 MiB */
  readonly messageMaxBytes?: number;
  /** Unread bytes at which reading from the socket stops. @default 262144 */
  readonly bufferMaxBytes?: number;
  /** @default 30000; an answer must come before the next ping */
  readonly pingIntervalMs?: number;
  /** Silence of both sides after which the connection counts as forgotten. @default 31 minutes */
  readonly idleTimeoutMs?: number;
}

export interface WebSocketMessage {
  readonly bytes: Uint8Array;
  readonly isBinary: boolean;
}

/** 1000: normal. 1005: a Close frame without a code (RFC 6455, section 7.4.1). */
const CLEAN_CLOSE_CODES: ReadonlySet<number> = new Set([1000, 1005]);

export class WebSocketConnection {
  readonly opened: Promise<void>;
  /** Iterate once. Leaving early destroys the connection. */
  readonly messages: AsyncIterable<WebSocketMessage>;
  readonly #socket: WebSocket;
  readonly #peer: string;
  readonly #signal: AbortSignal | undefined;
  readonly #bufferMaxBytes: number;
  readonly #idle: NodeJS.Timeout;
  readonly #pings: NodeJS.Timeout;
  readonly #queue: WebSocketMessage[] = [];
  #queuedBytes = 0;
  #pongMissing = false;
  #closed = false;
  #failure: { readonly reason: unknown } | undefined;
  #arrival = Promise.withResolvers<void>();

  constructor(options: WebSocketOptions) {
    this.#peer = options.url.host;
    this.#signal = options.signal;
    this.#bufferMaxBytes = options.bufferMaxBytes ?? 256 * 1024;
    const idleTimeoutMs = options.idleTimeoutMs ?? SESSION_LIMIT_MS + 60_000;
    this.#idle = setTimeout(() => {
      this.destroy(
        new SpeechError("TRANSPORT_FAILED", `nothing was sent or received for ${idleTimeoutMs} ms`),
      );
    }, idleTimeoutMs);
    this.#idle.unref();
    this.#pings = setInterval(() => this.#ping(), options.pingIntervalMs ?? 30_000);
    this.#pings.unref();
    this.#socket = new WebSocket(options.url, {
      headers: { "user-agent": USER_AGENT, ...options.headers },
      handshakeTimeout: options.handshakeTimeoutMs ?? 10_000,
      maxPayload: options.messageMaxBytes ?? MESSAGE_MAX_BYTES,
      // PCM does not deflate, and deflating costs time on every frame.
      perMessageDeflate: false,
    });
    this.opened = this.#listen();
    this.opened.catch(() => {});
    this.messages = this.#read();
    if (options.signal?.aborted) this.#onAbort();
    else options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Resolves when the socket took the message. Waits for the connection to open. */
  async send(message: string | Uint8Array): Promise<void> {
    await this.opened;
    if (this.#failure) throw this.#failure.reason;
    this.#idle.refresh();
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(message, (error) => {
        if (error) reject(this.#failure?.reason ?? networkError(error, this.#peer));
        else resolve();
      });
    });
  }

  /** Begins the closing handshake; what the peer still sends before its own Close is delivered. */
  close(): void {
    this.#socket.close(1000);
  }

  /** Now: what was received and not yet read is dropped. */
  destroy(reason: unknown): void {
    this.#settle({ reason });
    this.#queue.length = 0;
    this.#socket.terminate();
  }

  #listen(): Promise<void> {
    const socket = this.#socket;
    const opened = Promise.withResolvers<void>();
    socket.on("open", () => opened.resolve());
    socket.on("message", (data, isBinary) => this.#enqueue(toBytes(data), isBinary));
    socket.on("pong", () => {
      this.#pongMissing = false;
    });
    socket.on("unexpected-response", (_request, response) => void this.#refused(response));
    socket.on("error", (cause) => this.#settle({ reason: socketError(cause, this.#peer) }));
    socket.on("close", (code) => {
      this.#settle(
        CLEAN_CLOSE_CODES.has(code) ? undefined : { reason: fromCloseCode(code, { peer: this.#peer }) },
      );
      opened.reject(
        this.#failure?.reason ?? new SpeechError("TRANSPORT_FAILED", `${this.#peer} closed before it opened`),
      );
    });
    return opened.promise;
  }

  async #refused(response: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    let totalBytes = 0;
    try {
      for await (const chunk of response) {
        chunks.push(chunk);
        totalBytes += chunk.length;
        if (totalBytes > ERROR_BODY_MAX_BYTES) break;
      }
    } catch {
      // the status says enough
    }
    this.destroy(httpError(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"), this.#peer));
  }

  #enqueue(bytes: Uint8Array, isBinary: boolean): void {
    if (this.#closed) return;
    this.#idle.refresh();
    this.#queue.push({ bytes, isBinary });
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes >= this.#bufferMaxBytes && !this.#socket.isPaused) this.#socket.pause();
    this.#arrival.resolve();
  }

  async *#read(): AsyncGenerator<WebSocketMessage, void, undefined> {
    try {
      while (true) {
        const message = this.#queue.shift();
        if (message) {
          this.#queuedBytes -= message.bytes.length;
          if (this.#socket.isPaused && this.#queuedBytes < this.#bufferMaxBytes / 2) {
            this.#pongMissing = false;
            this.#socket.resume();
          }
          yield message;
          continue;
        }
        if (this.#failure) throw this.#failure.reason;
        if (this.#closed) return;
        this.#arrival = Promise.withResolvers<void>();
        await this.#arrival.promise;
      }
    } finally {
      this.destroy(new SpeechError("TRANSPORT_FAILED", "the connection's reader has left"));
    }
  }

  #ping(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    // While we do not read, no pong can be seen: silence proves nothing.
    if (this.#socket.isPaused) return;
    if (this.#pongMissing) {
      const words = `${this.#peer} did not answer a ping: the connection is dead`;
      this.destroy(new SpeechError("TRANSPORT_FAILED", words));
      return;
    }
    this.#pongMissing = true;
    this.#socket.ping();
  }

  readonly #onAbort = (): void => this.destroy(this.#signal?.reason);

  /** The first reason counts. Without one the peer closed properly. */
  #settle(failure: { readonly reason: unknown } | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#failure = failure;
    clearTimeout(this.#idle);
    clearInterval(this.#pings);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#arrival.resolve();
  }
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** `ws` names a broken wire by its own codes; the rest is the network's. */
function socketError(cause: Error, peer: string): Error {
  const code = (cause as { code?: unknown }).code;
  if (typeof code === "string" && code.startsWith("WS_ERR_")) {
    return new SpeechError("PROTOCOL_VIOLATION", `${peer} broke the WebSocket protocol (${code})`, { cause });
  }
  if (cause.message === "Opening handshake has timed out") {
    return new SpeechError("TRANSPORT_FAILED", `${peer} did not accept a WebSocket in time`, { cause });
  }
  return networkError(cause, peer);
}
