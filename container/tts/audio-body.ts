/**
 * Slices of speech -> bytes of one file format, piece by piece. A body, streamed or whole, has one head, the pieces of all its
 * slices from one encoder, and that encoder's tail: so a stream of many sentences is still one file.
 */
import { createMp3Encoder } from "../../lib/audio/mp3.ts";
import { toPcm16 } from "../../lib/audio/pcm16.ts";
import { wavHeader } from "../../lib/audio/wav.ts";
import type { AudioFileFormat } from "../../lib/protocol/invocations.ts";

export interface AudioBodyEncoder {
  /** @param dataBytes bytes of all pieces, when they are known by now. Empty for formats without a head. */
  head(dataBytes?: number): Uint8Array;
  /** @param slice short (utterance.ts): one call must not hold up the event loop. May give nothing yet. */
  encode(slice: Float32Array): Uint8Array;
  tail(): Uint8Array;
}

const NOTHING = new Uint8Array(0);

export async function createAudioBodyEncoder(
  format: AudioFileFormat,
  sampleRateHz: number,
): Promise<AudioBodyEncoder> {
  if (format === "mp3") {
    const mp3 = await createMp3Encoder(sampleRateHz);
    return { head: () => NOTHING, encode: (slice) => mp3.encode(slice), tail: () => mp3.flush() };
  }
  const head = format === "wav" ? (dataBytes?: number) => wavHeader(sampleRateHz, dataBytes) : () => NOTHING;
  return { head, encode: toPcm16, tail: () => NOTHING };
}
