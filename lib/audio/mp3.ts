/**
 * float32 -> MP3 by LAME compiled to WebAssembly. One encoder a stream: its frames lean on the bits that earlier frames
 * left over (the bit reservoir), so pieces of two encoders joined would crackle, and the last frames come
 * only by `flush`.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createEncoder } from "wasm-media-encoders";

/** Speech, one channel, 24 kHz: MPEG-2 layer III at this rate keeps the whole band of the model. */
export const MP3_BITRATE_KBPS = 64;

export interface Mp3Encoder {
  /**
   * @param samples float32 in [-1, 1], mono. Encoding takes time in proportion: give slices of about a second
   *   when an event loop waits.
   * @returns finished frames, often none; the caller owns the bytes.
   */
  encode(samples: Float32Array): Uint8Array;
  /** The last frames. The encoder must not be used afterwards. */
  flush(): Uint8Array;
}

/** @param sampleRateHz one that MPEG audio knows: 8,000, 16,000, 24,000, 48,000 ... */
export async function createMp3Encoder(sampleRateHz: number): Promise<Mp3Encoder> {
  const lame = await createEncoder("audio/mpeg", lameModule ?? (await readLame()), (compiled) => {
    lameModule = compiled;
  });
  // The output rate is given too: LAME would otherwise lower it as it sees fit for the bit rate.
  lame.configure({
    sampleRate: sampleRateHz,
    outputSampleRate: sampleRateHz as 8000 | 16000 | 24000 | 48000,
    channels: 1,
    bitrate: MP3_BITRATE_KBPS,
  });
  return {
    // Copied: the encoder's own bytes lie in its memory and are overwritten by the next call.
    encode: (samples) => (samples.length === 0 ? new Uint8Array(0) : lame.encode([samples]).slice()),
    flush: () => lame.finalize().slice(),
  };
}

/**
 * Compiled once, off the event loop; a further encoder is only an instance of it. The package's own short cut decodes and
 * compiles its file at every call.
 */
let lameModule: Parameters<typeof createEncoder>[1] | undefined;

function readLame(): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve("wasm-media-encoders/wasm/mp3")));
}
