/** What can be said of a sound, and of one held against another, without ears: words, level, steps. */

/** Words of a text as a recognizer writes them: lower case, no marks. */
export function plainWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}

/** Word error rate: changes, additions and omissions that lead from what was heard to what was said, a word said. */
export function wordErrorRate(said: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, column) => column);
  for (const [index, word] of said.entries()) {
    const next = [index + 1];
    for (let column = 1; column <= heard.length; column++) {
      const changed = row[column - 1]! + (word === heard[column - 1] ? 0 : 1);
      next.push(Math.min(changed, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[heard.length]! / Math.max(1, said.length);
}

/** Root mean square, in decibels of full scale; silence has none. */
export function levelDb(samples: Float32Array): number {
  let squares = 0;
  for (const sample of samples) squares += sample * sample;
  return 10 * Math.log10(squares / samples.length);
}

/** 6 ms: as long as windows are faded over each other (lib/kokoro/cross-fade.ts). */
const AROUND_JOIN_SAMPLES = 144;

/**
 * The largest step between two samples near a join, as a share of the largest in the whole sound that was never cut: above 1
 * is a click that speech itself does not have. @returns null where nothing was joined.
 */
export function largestJoinStep(
  samples: Float32Array,
  joins: readonly number[],
  whole: Float32Array,
): number | null {
  if (joins.length === 0) return null;
  const steps = joins.map((join) =>
    largestStep(samples, join - AROUND_JOIN_SAMPLES, join + AROUND_JOIN_SAMPLES),
  );
  return Math.max(...steps) / largestStep(whole, 1, whole.length);
}

function largestStep(samples: Float32Array, from: number, to: number): number {
  let largest = 0;
  for (let index = Math.max(1, from); index < Math.min(samples.length, to); index++) {
    largest = Math.max(largest, Math.abs(samples[index]! - samples[index - 1]!));
  }
  return largest;
}
