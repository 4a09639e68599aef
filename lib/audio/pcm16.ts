/**
 * float32 in [-1, 1] <-> PCM16 little-endian. The scale is 32,768 both ways, so that PCM16 -> float -> PCM16 is the
 * identity; +1.0 itself, one step too loud for 16 bits, is clipped to 32,767.
 */
import { SpeechError } from "../errors.ts";
import { PCM16_SAMPLE_BYTES } from "./format.ts";

const SCALE = 32_768;
const MAX = 32_767;
const MIN = -32_768;

/** Rounds to the nearest step and clips; NaN becomes silence rather than a click. The result is a new buffer. */
export function toPcm16(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * PCM16_SAMPLE_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) {
    const scaled = Math.round(samples[i]! * SCALE);
    // The comparison is written so that NaN falls through to 0.
    const step = scaled > MAX ? MAX : scaled < MIN ? MIN : scaled || 0;
    view.setInt16(i * PCM16_SAMPLE_BYTES, step, true);
  }
  return bytes;
}

/**
 * Whole samples only; for a stream that may be cut inside one use Pcm16Reader.
 * @throws {SpeechError} PROTOCOL_VIOLATION when half a sample is left over.
 */
export function fromPcm16(bytes: Uint8Array): Float32Array {
  if (bytes.length % PCM16_SAMPLE_BYTES !== 0) {
    throw new SpeechError(
      "PROTOCOL_VIOLATION",
      `PCM16 audio must have an even number of bytes, got ${bytes.length}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(bytes.length / PCM16_SAMPLE_BYTES);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = view.getInt16(i * PCM16_SAMPLE_BYTES, true) / SCALE;
  }
  return samples;
}

/** Reads PCM16 that a transport may cut anywhere, also inside a sample. */
export class Pcm16Reader {
  #carry: number | undefined;

  /** Bytes of an unfinished sample: 0 or 1. Not 0 at the end means that the stream was cut short. */
  get pendingBytes(): number {
    return this.#carry === undefined ? 0 : 1;
  }

  push(bytes: Uint8Array): Float32Array {
    if (bytes.length === 0) return new Float32Array(0);
    const joined = this.#carry === undefined ? bytes : prepend(this.#carry, bytes);
    const isOdd = joined.length % PCM16_SAMPLE_BYTES !== 0;
    this.#carry = isOdd ? joined[joined.length - 1] : undefined;
    return fromPcm16(isOdd ? joined.subarray(0, -1) : joined);
  }
}

function prepend(byte: number, bytes: Uint8Array): Uint8Array {
  const joined = new Uint8Array(bytes.length + 1);
  joined[0] = byte;
  joined.set(bytes, 1);
  return joined;
}
