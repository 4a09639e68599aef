/**
 * `application/vnd.amazon.eventstream`: cutting bytes into frames, and the two shapes of frame that SageMaker's
 * streams use. Frames may arrive cut anywhere. The codec (prelude, headers, both CRCs) is Smithy's; the cutting is
 * our own because Smithy's allocates whatever length the first four bytes claim, before any checksum.
 *
 *   [4 total length][4 headers' length][4 prelude CRC][headers][payload][4 message CRC]
 */
import { EventStreamCodec } from "@smithy/core/event-streams";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import type { Message, MessageHeaders } from "@smithy/types";
import { SpeechError } from "../../errors.ts";

export const EVENT_STREAM_CONTENT_TYPE = "application/vnd.amazon.eventstream";
/** The only content type of a part's payload; official clients refuse any other. */
const PART_CONTENT_TYPE = "application/octet-stream";

/** A frame with no header and no payload: two lengths, two checksums. */
const FRAME_MIN_BYTES = 16;
/** Prelude: total length, headers' length, and their checksum. */
const PRELUDE_BYTES = 12;
/** Largest frame taken from the service, headers and checksums included. */
export const FRAME_MAX_BYTES_DEFAULT = 2 * 1024 * 1024;

export type EventBody = Uint8Array;

export interface PayloadPart {
  readonly bytes: Uint8Array;
  readonly dataType?: "UTF8" | "BINARY";
  readonly completionState?: "PARTIAL" | "COMPLETE";
}

/** What one frame from the service says. */
export type ServiceEvent =
  | { kind: "part"; part: PayloadPart }
  | { kind: "exception"; name: string; body: string }
  | { kind: "unknown"; name: string };

const codec = new EventStreamCodec(toUtf8, fromUtf8);

export function encodePayloadPart(part: PayloadPart): EventBody {
  const headers: MessageHeaders = {
    ":message-type": { type: "string", value: "event" },
    ":event-type": { type: "string", value: "PayloadPart" },
    ":content-type": { type: "string", value: PART_CONTENT_TYPE },
  };
  // Headers that are not set must be absent, not empty.
  if (part.dataType) headers.DataType = { type: "string", value: part.dataType };
  if (part.completionState) headers.CompletionState = { type: "string", value: part.completionState };
  return codec.encode({ headers, body: part.bytes });
}

export function encodeSignedEvent(date: Date, signature: string, body: EventBody): Uint8Array {
  const headers: MessageHeaders = {
    ":date": { type: "timestamp", value: date },
    ":chunk-signature": { type: "binary", value: Buffer.from(signature, "hex") },
  };
  return codec.encode({ headers, body });
}

/** @throws {SpeechError} PROTOCOL_VIOLATION on a bad checksum, header or content type. */
export function decodeServiceEvent(frame: Uint8Array): ServiceEvent {
  let message: Message;
  try {
    message = codec.decode(frame);
  } catch (cause) {
    throw new SpeechError("PROTOCOL_VIOLATION", "the service sent an event that is damaged", { cause });
  }
  const header = (name: string): string | undefined => {
    const value = message.headers[name]?.value;
    return typeof value === "string" ? value : undefined;
  };
  const messageType = header(":message-type");
  if (messageType === "exception") {
    const name = header(":exception-type") ?? "UnknownException";
    return { kind: "exception", name, body: toUtf8(message.body) };
  }
  if (messageType === "error") {
    // An error outside the service's model travels in headers alone.
    const body = JSON.stringify({ Message: header(":error-message") ?? "" });
    return { kind: "exception", name: header(":error-code") ?? "UnknownError", body };
  }
  const eventType = header(":event-type");
  if (messageType !== "event" || eventType !== "PayloadPart") {
    return { kind: "unknown", name: eventType ?? messageType ?? "" };
  }
  const contentType = header(":content-type");
  if (contentType !== undefined && contentType !== PART_CONTENT_TYPE) {
    throw new SpeechError(
      "PROTOCOL_VIOLATION",
      `the service sent a part of content type "${contentType.slice(0, 60)}", allowed is ${PART_CONTENT_TYPE}`,
    );
  }
  return { kind: "part", part: readPart(message.body, header("DataType"), header("CompletionState")) };
}

function readPart(bytes: Uint8Array, dataType?: string, completionState?: string): PayloadPart {
  return {
    bytes,
    ...((dataType === "UTF8" || dataType === "BINARY") && { dataType }),
    ...((completionState === "PARTIAL" || completionState === "COMPLETE") && { completionState }),
  };
}

/** Chunks in, whole frames out. Holds at most one frame's bytes, and never more than `frameMaxBytes`. */
export class FrameReader {
  readonly #frameMaxBytes: number;
  /** Bytes of the prelude, then of the whole frame. */
  #buffer = new Uint8Array(PRELUDE_BYTES);
  #filledBytes = 0;
  #lengthKnown = false;

  constructor(frameMaxBytes = FRAME_MAX_BYTES_DEFAULT) {
    this.#frameMaxBytes = frameMaxBytes;
  }

  /**
   * Frames finished by this chunk. They own their memory: the chunk may be reused.
   * @throws {SpeechError} PROTOCOL_VIOLATION when a frame claims an impossible or too large length.
   */
  *feed(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    let offset = 0;
    while (offset < chunk.length) {
      const takenBytes = Math.min(this.#buffer.length - this.#filledBytes, chunk.length - offset);
      this.#buffer.set(chunk.subarray(offset, offset + takenBytes), this.#filledBytes);
      this.#filledBytes += takenBytes;
      offset += takenBytes;
      if (this.#filledBytes < this.#buffer.length) return;
      if (!this.#lengthKnown) {
        this.#growToFrame();
        continue;
      }
      const frame = this.#buffer;
      this.#buffer = new Uint8Array(PRELUDE_BYTES);
      this.#filledBytes = 0;
      this.#lengthKnown = false;
      yield frame;
    }
  }

  /** @throws {SpeechError} TRANSPORT_FAILED when the stream ended inside a frame. */
  end(): void {
    if (this.#filledBytes === 0) return;
    throw new SpeechError("TRANSPORT_FAILED", "the service's stream ended in the middle of an event");
  }

  #growToFrame(): void {
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, PRELUDE_BYTES);
    const totalBytes = view.getUint32(0);
    const headersBytes = view.getUint32(4);
    if (totalBytes < FRAME_MIN_BYTES || headersBytes > totalBytes - FRAME_MIN_BYTES) {
      throw new SpeechError("PROTOCOL_VIOLATION", "the service sent an event of impossible length");
    }
    if (totalBytes > this.#frameMaxBytes) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `the service sent an event of ${totalBytes} bytes, allowed are ${this.#frameMaxBytes}`,
      );
    }
    const frame = new Uint8Array(totalBytes);
    frame.set(this.#buffer);
    this.#buffer = frame;
    this.#lengthKnown = true;
  }
}
