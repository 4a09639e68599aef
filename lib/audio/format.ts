/**
 * What "audio" means here: PCM16, that is signed 16 bit little-endian, one channel. Only the rate varies, and it is
 * always passed along with the samples; nothing in this folder assumes one.
 */

export const PCM16_SAMPLE_BYTES = 2;

/** Seconds that so many samples of one channel last. */
export function samplesToSeconds(samples: number, sampleRateHz: number): number {
  return samples / sampleRateHz;
}

/** Seconds that so many bytes of mono PCM16 last. */
export function pcm16ToSeconds(bytes: number, sampleRateHz: number): number {
  return samplesToSeconds(bytes / PCM16_SAMPLE_BYTES, sampleRateHz);
}
