/**
 * WebSocket frames as the bridge needs them (RFC 6455): SageMaker turns each fragment into its own PARTIAL part,
 * and the `ws` client joins fragments before it tells anyone. So this side reads and writes frames itself; the
 * container on the other end is `ws`. Client side only: frames written are masked, frames read are not.
 */
import { randomFillSync } from "node:crypto";
import { SpeechError } from "../errors.ts";

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface WebSocketFrame {
  readonly opcode: number;
  /** False: more frames of the same message follow. */
  readonly final: boolean;
  /** Of a data frame: is its message text? A continuation belongs to the kind its message began with. */
  readonly text: boolean;
  readonly payload: Buffer;
}

/** A breach of the protocol; `details.closeCode` is what RFC 6455 section 7.4.1 says to close with. */
const broken = (closeCode: number, message: string) =>
  new SpeechError("PROTOCOL_VIOLATION", `WebSocket: ${message}`, { details: { closeCode } });

/** @param payload is copied, as masking alters it. */
export function encodeClientFrame(opcode: number, payload: Uint8Array, final = true): Buffer {
  const extended = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(6 + extended + payload.length);
  frame[0] = (final ? 0x80 : 0) | opcode;
  frame[1] = 0x80 | (extended === 0 ? payload.length : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(payload.length, 2);
  else if (extended === 8) frame.writeBigUInt64BE(BigInt(payload.length), 2);
  const maskAt = 2 + extended;
  randomFillSync(frame, maskAt, 4);
  const bodyAt = maskAt + 4;
  for (let i = 0; i < payload.length; i++) frame[bodyAt + i] = payload[i]! ^ frame[maskAt + (i & 3)]!;
  return frame;
}

export function encodeClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return payload.subarray(0, 125); // RFC 6455 section 5.5: no control frame is longer
}

/** Cuts the bytes of a server into frames, wherever they were cut. Keeps at most one frame. */
export class WebSocketFrameReader {
  readonly #maxBytes: number;
  #head: Buffer = Buffer.alloc(10);
  #headBytes = 0;
  #payload: Buffer | undefined;
  #payloadBytes = 0;
  #filledBytes = 0;
  /** Kind of the message whose fragments are coming; undefined between messages. */
  #message: "text" | "binary" | undefined;
  #utf8 = new TextDecoder("utf-8", { fatal: true });

  /** @param maxBytes longest payload of one frame. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws {SpeechError} PROTOCOL_VIOLATION; the reader is of no use afterwards. */
  *push(chunk: Buffer): Generator<WebSocketFrame, void, undefined> {
    let at = 0;
    while (true) {
      if (this.#payload === undefined) {
        while (this.#headBytes < this.#wantedHeadBytes() && at < chunk.length) {
          this.#head[this.#headBytes++] = chunk[at++]!;
        }
        if (this.#headBytes < this.#wantedHeadBytes()) return;
        this.#begin();
      }
      const piece = chunk.subarray(at, at + this.#payloadBytes - this.#filledBytes);
      this.#keep(piece);
      at += piece.length;
      if (this.#filledBytes < this.#payloadBytes) return;
      yield this.#finish();
    }
  }

  #wantedHeadBytes(): number {
    if (this.#headBytes < 2) return 2;
    const length = this.#head[1]! & 0x7f;
    return length === 126 ? 4 : length === 127 ? 10 : 2;
  }

  #begin(): void {
    const [first, second] = [this.#head[0]!, this.#head[1]!];
    const opcode = first & 0x0f;
    const control = opcode >= OPCODE.close;
    if ((first & 0x70) !== 0) throw broken(1002, "a reserved bit is set, though no extension was agreed");
    if ((second & 0x80) !== 0) throw broken(1002, "a server's frame is masked");
    if (opcode > OPCODE.pong || (opcode > OPCODE.binary && !control)) {
      throw broken(1002, `unknown opcode ${opcode}`);
    }
    const length = second & 0x7f;
    const payloadBytes =
      length === 126
        ? this.#head.readUInt16BE(2)
        : length === 127
          ? Number(this.#head.readBigUInt64BE(2))
          : length;
    if (control && (payloadBytes > 125 || (first & 0x80) === 0)) {
      throw broken(1002, "a control frame is too long or fragmented");
    }
    if (!control && (opcode === OPCODE.continuation) !== (this.#message !== undefined)) {
      throw broken(1002, "a continuation without a beginning, or a beginning inside a message");
    }
    if (payloadBytes > this.#maxBytes) {
      throw broken(1009, `a frame of ${payloadBytes} bytes; allowed are ${this.#maxBytes}`);
    }
    this.#payloadBytes = payloadBytes;
    this.#filledBytes = 0;
    this.#payload = Buffer.alloc(0);
  }

  #finish(): WebSocketFrame {
    const opcode = this.#head[0]! & 0x0f;
    const final = (this.#head[0]! & 0x80) !== 0;
    const payload = this.#payload!.subarray(0, this.#payloadBytes);
    this.#payload = undefined;
    this.#headBytes = 0;
    if (opcode >= OPCODE.close) return { opcode, final, text: false, payload };
    this.#message ??= opcode === OPCODE.text ? "text" : "binary";
    const text = this.#message === "text";
    if (text) this.#checkUtf8(payload, final);
    if (final) this.#message = undefined;
    return { opcode, final, text, payload };
  }

  /** A message is valid UTF-8 as a whole; a fragment may end inside a character. */
  #checkUtf8(payload: Buffer, final: boolean): void {
    try {
      this.#utf8.decode(payload, { stream: !final });
    } catch {
      throw broken(1007, "a text message is not UTF-8");
    }
  }

  #keep(piece: Buffer): void {
    const neededBytes = this.#filledBytes + piece.length;
    // Grown as bytes arrive: a length merely claimed costs nothing.
    if (neededBytes > this.#payload!.length) {
      const doubled = Math.max(16_384, this.#payload!.length * 2, neededBytes);
      const grown = Buffer.allocUnsafe(Math.min(doubled, this.#payloadBytes));
      this.#payload!.copy(grown, 0, 0, this.#filledBytes);
      this.#payload = grown;
    }
    this.#payload!.set(piece, this.#filledBytes);
    this.#filledBytes = neededBytes;
  }
}
