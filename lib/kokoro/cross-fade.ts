/** Joins windows: what one window says after its end fades out while the next, from its beginning, fades in. */

/** 6 ms at 24,000 Hz: longer than the click of a step in the waveform, shorter than any sound of speech. */
export const FADE_SAMPLES = 144;

/**
 * Fades in place. The weights always sum to one, so what both windows agree on is not changed.
 * @param tail what the window before says at the same place; may be shorter than `samples`, not longer.
 */
export function fadeOver(tail: Float32Array, samples: Float32Array): void {
  for (let index = 0; index < tail.length; index++) {
    const weight = (index + 1) / (tail.length + 1);
    samples[index] = tail[index]! * (1 - weight) + samples[index]! * weight;
  }
}
