/**
 * A SpeechTransport over SageMaker's bidirectional stream. Messages go out as UTF8 parts, which SageMaker turns
 * into WebSocket text frames; what comes back in PARTIAL pieces (a fragmented frame of the container) is joined, so
 * that the reader sees whole parts only: the rule that tells control from audio needs the whole part.
 */
import { SpeechError } from "../../errors.ts";
import { MESSAGE_MAX_BYTES } from "../../protocol/limits.ts";
import type { SpeechTransport } from "../transport.ts";
import { type BidiAnswer, BidiStream, type BidiStreamOptions } from "./bidi-stream.ts";
import type { PayloadPart } from "./event-stream.ts";

export interface SageMakerTransport extends SpeechTransport {
  /** Production variant and AWS request id; may come only with the first part. */
  readonly opened: Promise<BidiAnswer>;
}

/** Opens at once; failures are told by `send`, `parts` and `opened`. */
export function connectSageMaker(options: BidiStreamOptions): SageMakerTransport {
  const stream = new BidiStream(options);
  return {
    opened: stream.opened,
    parts: joinParts(stream, MESSAGE_MAX_BYTES),
    send: (message) =>
      stream.send({ bytes: Buffer.from(message), dataType: "UTF8", completionState: "COMPLETE" }),
    end: () => stream.end(),
    destroy: (reason) => stream.destroy(reason),
  };
}

/**
 * @param partMaxBytes longest joined part; a peer that never completes one must not fill the memory.
 * @throws {SpeechError} PROTOCOL_VIOLATION beyond it, TRANSPORT_FAILED when the stream ends inside a part.
 */
export async function* joinParts(
  parts: AsyncIterable<PayloadPart>,
  partMaxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let pieces: Uint8Array[] = [];
  let joinedBytes = 0;
  for await (const { bytes, completionState } of parts) {
    joinedBytes += bytes.length;
    if (joinedBytes > partMaxBytes) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `the service sent a part of more than ${partMaxBytes} bytes in pieces`,
      );
    }
    if (completionState === "PARTIAL") {
      pieces.push(bytes);
      continue;
    }
    yield pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes], joinedBytes);
    pieces = [];
    joinedBytes = 0;
  }
  if (pieces.length > 0) {
    throw new SpeechError("TRANSPORT_FAILED", "the service's stream ended in the middle of a part");
  }
}
