/**
 * `application/vnd.amazon.eventstream` messages, written and read on Node's own parts: the stand-ins must not
 * share code with the clients they check. One message:
 *
 *   total length u32 | headers length u32 | CRC32 of the 8 bytes before | headers | payload | CRC32 of all before
 *   a header: name length u8 | name | type u8 | value (types 6 and 7: length u16 | bytes)
 *
 * Source: smithy.io "Amazon Event Stream Specification".
 */
import { crc32 } from "node:zlib";
import { SpeechError } from "../errors.ts";

export type HeaderValue = string | Buffer | Date | boolean | number | bigint;

export interface EventMessage {
  readonly headers: ReadonlyMap<string, HeaderValue>;
  readonly payload: Buffer;
}

const PRELUDE_BYTES = 12;
const FRAMING_BYTES = 16;
/** Largest header block; the specification's limit. */
const HEADERS_MAX_BYTES = 128 * 1024;
/** First allocation for a message: a claimed length costs nothing until its bytes arrive. */
const FIRST_ALLOCATION_BYTES = 64 * 1024;

const broken = (message: string) => new SpeechError("PROTOCOL_VIOLATION", `event stream: ${message}`);

/** Strings become type 7, buffers 6, dates 8, booleans 0 and 1: what the services here send. */
export function encodeHeaders(headers: Readonly<Record<string, string | Buffer | Date | boolean>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const nameBytes = Buffer.from(name);
    parts.push(Buffer.from([nameBytes.length]), nameBytes);
    if (typeof value === "boolean") parts.push(Buffer.from([value ? 0 : 1]));
    else if (value instanceof Date) {
      const bytes = Buffer.alloc(9, 8);
      bytes.writeBigInt64BE(BigInt(value.getTime()), 1);
      parts.push(bytes);
    } else {
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      const head = Buffer.from([typeof value === "string" ? 7 : 6, 0, 0]);
      head.writeUInt16BE(bytes.length, 1);
      parts.push(head, bytes);
    }
  }
  return Buffer.concat(parts);
}

export function encodeEvent(
  headers: Readonly<Record<string, string | Buffer | Date | boolean>>,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const headerBytes = encodeHeaders(headers);
  const message = Buffer.allocUnsafe(FRAMING_BYTES + headerBytes.length + payload.length);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(headerBytes.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  headerBytes.copy(message, PRELUDE_BYTES);
  message.set(payload, PRELUDE_BYTES + headerBytes.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

/** @param message exactly one message; the payload returned is a view of it. @throws {SpeechError} PROTOCOL_VIOLATION */
export function decodeEvent(message: Buffer, maxBytes = Number.POSITIVE_INFINITY): EventMessage {
  if (message.length < FRAMING_BYTES) throw broken(`a message of ${message.length} bytes is too short`);
  if (checkPrelude(message, maxBytes) !== message.length) throw broken("length and message disagree");
  if (crc32(message.subarray(0, -4)) !== message.readUInt32BE(message.length - 4)) {
    throw broken("checksum of a message does not match");
  }
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  return {
    headers: decodeHeaders(message.subarray(PRELUDE_BYTES, headersEnd)),
    payload: message.subarray(headersEnd, message.length - 4),
  };
}

/** Checks the first 12 bytes, before anything is kept for the rest. @returns the whole message's length. */
function checkPrelude(prelude: Buffer, maxBytes: number): number {
  const totalBytes = prelude.readUInt32BE(0);
  const headersBytes = prelude.readUInt32BE(4);
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) {
    throw broken("checksum of a prelude does not match");
  }
  if (totalBytes < FRAMING_BYTES || totalBytes > maxBytes) {
    throw broken(`message of ${totalBytes} bytes; allowed are ${FRAMING_BYTES} to ${maxBytes}`);
  }
  if (headersBytes > HEADERS_MAX_BYTES || headersBytes > totalBytes - FRAMING_BYTES) {
    throw broken(`headers of ${headersBytes} bytes in a message of ${totalBytes}`);
  }
  return totalBytes;
}

/** Bytes of the fixed types 0-5, 8 and 9, by type number; types 6 and 7 carry their length. */
const FIXED_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

function decodeHeaders(bytes: Buffer): Map<string, HeaderValue> {
  const headers = new Map<string, HeaderValue>();
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw broken("a header runs past the header block");
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1)[0]!).toString("utf8");
    if (name === "" || headers.has(name)) throw broken("a header without a name, or twice");
    const type = take(1)[0]!;
    if (type > 9) throw broken(`unknown header type ${type}`);
    const value = take(FIXED_BYTES[type] ?? take(2).readUInt16BE());
    headers.set(name, headerValue(type, value));
  }
  return headers;
}

function headerValue(type: number, value: Buffer): HeaderValue {
  if (type <= 1) return type === 0;
  if (type <= 4) return value.readIntBE(0, value.length);
  if (type === 5) return value.readBigInt64BE();
  if (type === 7) return value.toString("utf8");
  if (type === 8) return new Date(Number(value.readBigInt64BE()));
  return value;
}

/** Cuts a byte stream into messages, wherever the stream itself was cut. Keeps at most one message. */
export class EventStreamReader {
  readonly #maxBytes: number;
  #message: Buffer = Buffer.alloc(PRELUDE_BYTES);
  #filledBytes = 0;
  #totalBytes: number | undefined;

  /** @param maxBytes longest message taken, framing included. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws {SpeechError} PROTOCOL_VIOLATION; the reader is of no use afterwards. */
  *push(chunk: Uint8Array): Generator<EventMessage, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      const wanted = (this.#totalBytes ?? PRELUDE_BYTES) - this.#filledBytes;
      const piece = chunk.subarray(at, at + wanted);
      this.#keep(piece);
      at += piece.length;
      if (piece.length < wanted) return;
      if (this.#totalBytes === undefined) {
        this.#totalBytes = checkPrelude(this.#message, this.#maxBytes);
        continue;
      }
      const message = this.#message.subarray(0, this.#totalBytes);
      this.#message = Buffer.alloc(PRELUDE_BYTES);
      this.#filledBytes = 0;
      this.#totalBytes = undefined;
      yield decodeEvent(message, this.#maxBytes);
    }
  }

  /** To be called at the end of the bytes. @throws {SpeechError} PROTOCOL_VIOLATION inside a message. */
  end(): void {
    if (this.#filledBytes > 0) throw broken("ended inside a message");
  }

  #keep(piece: Uint8Array): void {
    const neededBytes = this.#filledBytes + piece.length;
    if (neededBytes > this.#message.length) {
      const doubled = Math.max(FIRST_ALLOCATION_BYTES, this.#message.length * 2, neededBytes);
      const grown = Buffer.allocUnsafe(Math.min(doubled, this.#totalBytes ?? doubled));
      this.#message.copy(grown, 0, 0, this.#filledBytes);
      this.#message = grown;
    }
    this.#message.set(piece, this.#filledBytes);
    this.#filledBytes = neededBytes;
  }
}
