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
