/** Which of a few known names was meant. */

/** Levenshtein's distance, one row at a time: letters put in, left out or changed. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** @param names at least one; of equally near ones the first. */
export function nearestName<Name extends string>(wanted: string, names: readonly Name[]): Name {
  return names.reduce((nearest, name) =>
    editDistance(wanted, name) < editDistance(wanted, nearest) ? name : nearest,
  );
}
