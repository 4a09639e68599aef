/**
 * One WebSocket from the SageMaker stand-in to a container: the upgrade within 250 ms, frames both ways with
 * back-pressure, pings and missed pongs, the closing handshake. In: frames to send. Out: data frames in order,
 * then how it ended.
 */
import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { Duplex } from "node:stream";
import { isSpeechError } from "../errors.ts";
import { AwsFault } from "./aws-fault.ts";
import {
  encodeClientFrame,
  encodeClose,
  OPCODE,
  type WebSocketFrame,
  WebSocketFrameReader,
} from "./websocket-frames.ts";

export interface ContainerSocketOptions {
  /** `http://host:port` of the container and path with query of the upgrade. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly acceptTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly missedPongsAllowed: number;
  readonly frameMaxBytes: number;
  readonly signal: AbortSignal;
}

/** How a container's socket ended. */
export type ContainerEnd =
  | { readonly kind: "closed"; readonly code: number; readonly reason: string }
  /** The TCP connection went without a Close frame: the container died. */
  | { readonly kind: "died" }
  /** The container broke RFC 6455; closed by us with `code`. */
  | { readonly kind: "violated"; readonly code: number; readonly reason: string }
  | { readonly kind: "unresponsive"; readonly missedPongs: number }
  /** Closed or destroyed from this side. */
  | { readonly kind: "left" };

/** RFC 6455 section 7.1.5: the code reported when a Close frame carries none. */
const NO_STATUS = 1005;
/** How long the other side may take to finish the closing handshake. */
const CLOSE_GRACE_MS = 1_000;
/** Longest part of a refusal's body kept for OriginalMessage. */
const REFUSAL_BODY_MAX_BYTES = 4_096;
const WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455 section 1.3

/** @throws {AwsFault} 503 when nothing listens, 424 when the container refuses or is too slow; the abort reason. */
export async function openContainerSocket(options: ContainerSocketOptions): Promise<ContainerSocket> {
  const key = randomBytes(16).toString("base64");
  const request = http.request(options.url, {
    agent: false,
    headers: {
      ...options.headers,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    },
    signal: options.signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<ContainerSocket>();
  // Measured from when the request has gone out, and an answer that already lies in the socket counts as in time:
  // it is the container that is timed, not this process, which may be busy with other streams.
  let timer: NodeJS.Timeout | undefined;
  let answered = false;
  const tooLate = () => {
    if (answered) return;
    const message = `the container did not accept the WebSocket within ${options.acceptTimeoutMs} ms`;
    reject(modelError(message, 0, ""));
    request.destroy();
  };
  const startTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => setImmediate(tooLate), options.acceptTimeoutMs);
  };
  startTimer();
  request.on("finish", startTimer);
  request.on("error", () => {
    reject(
      options.signal.aborted
        ? options.signal.reason
        : new AwsFault(503, "ServiceUnavailableError", "the endpoint's container cannot be reached"),
    );
  });
  request.on("response", (response) => {
    answered = true;
    readRefusal(response).then(
      (body) => reject(modelError("the container refused the WebSocket", response.statusCode ?? 0, body)),
      reject,
    );
  });
  request.on("upgrade", (response, socket, head) => {
    answered = true;
    const accept = createHash("sha1")
      .update(key + WEBSOCKET_GUID)
      .digest("base64");
    if (response.headers["sec-websocket-accept"] !== accept) {
      socket.destroy();
      return reject(modelError("the container's upgrade answer is not a WebSocket's", 101, ""));
    }
    if (head.length > 0) socket.unshift(head);
    resolve(new ContainerSocket(socket, options));
  });
  request.end();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function modelError(message: string, originalStatusCode: number, originalMessage: string): AwsFault {
  return new AwsFault(424, "ModelError", message, {
    OriginalStatusCode: originalStatusCode,
    OriginalMessage: originalMessage,
  });
}

async function readRefusal(response: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length >= REFUSAL_BODY_MAX_BYTES) break;
  }
  return text.slice(0, REFUSAL_BODY_MAX_BYTES);
}

export class ContainerSocket {
  /** Settles once, when no more frames come; never rejects. */
  readonly ended: Promise<ContainerEnd>;
  readonly #socket: Duplex;
  readonly #options: ContainerSocketOptions;
  readonly #reader: WebSocketFrameReader;
  readonly #end: (end: ContainerEnd) => void;
  readonly #pinger: NodeJS.Timeout;
  #unansweredPings = 0;
  /** True while the consumer holds a frame: pongs then wait unread, which is not the container's fault. */
  #holding = false;
  #closing = false;

  constructor(socket: Duplex, options: ContainerSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new WebSocketFrameReader(options.frameMaxBytes);
    const { promise, resolve } = Promise.withResolvers<ContainerEnd>();
    this.ended = promise;
    this.#end = resolve;
    this.#pinger = setInterval(() => this.#ping(), options.pingIntervalMs);
    socket.on("error", () => resolve({ kind: "died" })); // the reading loop tells too; a writer may be first
    socket.on("close", () => {
      clearInterval(this.#pinger);
      resolve({ kind: "died" });
    });
  }

  /** Data frames in order. Not reading holds the container back. Iterate once; then see `ended`. */
  async *frames(): AsyncGenerator<WebSocketFrame, void, undefined> {
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        for (const frame of this.#reader.push(chunk as Buffer)) {
          if (frame.opcode >= OPCODE.close) {
            if (this.#control(frame)) return;
            continue;
          }
          this.#holding = true;
          yield frame;
          this.#holding = false;
        }
      }
    } catch (error) {
      if (!isSpeechError(error)) return; // the connection broke: `ended` says so
      const code = Number(error.details.closeCode ?? 1002);
      this.#end({ kind: "violated", code, reason: error.message });
      this.close(code, error.message);
    }
  }

  /** Resolves when the socket can take more; at once when it is gone (then `ended` tells). */
  async send(opcode: number, payload: Uint8Array, final: boolean): Promise<void> {
    if (this.#closing || !this.#socket.writable) return;
    if (this.#socket.write(encodeClientFrame(opcode, payload, final))) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#socket.off("drain", done).off("close", done);
        resolve();
      };
      this.#socket.on("drain", done).on("close", done);
    });
  }

  /** Says goodbye and goes; a peer that does not answer in a second is cut off. */
  close(code: number, reason = ""): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#end({ kind: "left" });
    clearInterval(this.#pinger);
    if (this.#socket.writableLength > 0) {
      this.#socket.destroy(); // it does not read: a Close would never arrive
      return;
    }
    this.#socket.end(encodeClientFrame(OPCODE.close, encodeClose(code, reason)));
    this.#socket.resume(); // read to the end, so that the handshake can finish; nobody wants the frames
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
    this.#socket.on("close", () => clearTimeout(timer));
  }

  destroy(): void {
    this.#end({ kind: "left" });
    this.#socket.destroy();
  }

  /** @returns true when the peer closed. */
  #control(frame: WebSocketFrame): boolean {
    if (frame.opcode === OPCODE.pong) this.#unansweredPings = 0;
    if (frame.opcode === OPCODE.ping && this.#socket.writable) {
      this.#socket.write(encodeClientFrame(OPCODE.pong, frame.payload));
    }
    if (frame.opcode !== OPCODE.close) return false;
    const code = frame.payload.length >= 2 ? frame.payload.readUInt16BE() : NO_STATUS;
    this.#end({ kind: "closed", code, reason: frame.payload.subarray(2).toString("utf8") });
    this.close(code === NO_STATUS ? 1000 : code);
    return true;
  }

  #ping(): void {
    if (this.#holding || !this.#socket.writable) return;
    if (this.#unansweredPings >= this.#options.missedPongsAllowed) {
      this.#end({ kind: "unresponsive", missedPongs: this.#unansweredPings });
      this.#socket.destroy();
      return;
    }
    this.#unansweredPings++;
    this.#socket.write(encodeClientFrame(OPCODE.ping, new Uint8Array()));
  }
}
