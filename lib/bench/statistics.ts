/** Summaries of a few runs. Few and skewed, so: median and the extremes, never a mean with a deviation. */

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @returns null for no values at all; the middle of two for an even number. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs that have no value (a turn without audio has no first audio) are left out; null when none has one. */
export function summarize(values: readonly (number | null)[]): Summary | null {
  const present = values.filter((value) => value !== null);
  const middle = median(present);
  if (middle === null) return null;
  return { median: middle, min: Math.min(...present), max: Math.max(...present) };
}

/** How far the runs lie apart, as a share of the median: 0.1 = within 10 %. null where the median is 0. */
export function spread(summary: Summary): number | null {
  return summary.median === 0 ? null : (summary.max - summary.min) / summary.median;
}

/** Mean of paired differences, and where it lies with 95 % confidence. */
export interface PairedDifference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
}

const RESAMPLES = 10_000;

/**
 * By the bootstrap's percentiles (Efron and Tibshirani 1993, ch. 13): opinion scores and word errors are neither normal nor
 * even symmetric. The same values give the same interval. @returns null for no values.
 */
export function pairedDifference(differences: readonly number[]): PairedDifference | null {
  const pairs = differences.length;
  if (pairs === 0) return null;
  const meanOf = (value: () => number) => {
    let sum = 0;
    for (let index = 0; index < pairs; index++) sum += value();
    return sum / pairs;
  };
  const random = seededRandom(1);
  const draw = () => differences[Math.floor(random() * pairs)]!;
  const means = Array.from({ length: RESAMPLES }, () => meanOf(draw)).sort((a, b) => a - b);
  const at = (share: number) => means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))]!;
  let next = 0;
  return { mean: meanOf(() => differences[next++]!), low: at(0.025), high: at(0.975), pairs };
}

/** mulberry32: a number in [0, 1), the same ones for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
