/**
 * Where a sentence that grows too long may be cut, in order of preference: after a clause mark, at a dash, at a
 * bracket, at a space. Only the last place of each kind is remembered.
 */
import { CLAUSE_MARKS, classOf, DASHES, LETTER } from "./characters.ts";

const NONE = -1;

export class CutPlaces {
  clause = NONE;
  dash = NONE;
  bracket = NONE;
  /** A space between words, or between two characters of a script without spaces. Never inside a number. */
  space = NONE;

  clear(): void {
    this.clause = NONE;
    this.dash = NONE;
    this.bracket = NONE;
    this.space = NONE;
  }

  /** @param last character of the word that ends at `at`. */
  endWord(last: number, at: number, isInside: boolean): void {
    if (classOf(last) & LETTER) return;
    if (CLAUSE_MARKS.has(last) && !isInside) this.clause = at;
    if (DASHES.has(last)) this.dash = at;
  }

  /**
   * The best place for a piece that begins at `base`. A place in its first third is passed over: it would make a
   * scrap, and re-reading the rest over and over would no longer be linear.
   */
  best(base: number, maxChars: number): number {
    const least = base + maxChars / 3;
    for (const place of [this.clause, this.dash, this.bracket, this.space]) {
      if (place >= least) return place;
    }
    return this.space;
  }
}
