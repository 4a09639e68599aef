/** "1. Flour 2. Eggs": a number that opens an item stays with it, and so does one that counts on. */
import type { StopKind } from "./sentence-end.ts";

export class ItemCount {
  #last = 0;

  /** @param kind what sentence-end.ts says of the token; `never` is a number that opens an item. */
  counts(token: string, kind: StopKind): boolean {
    if (!/^\d{1,3}$/.test(token)) return false;
    const item = Number(token);
    const isNext = kind === "never" || (this.#last > 0 && item === this.#last + 1);
    if (isNext) this.#last = item;
    return isNext;
  }

  clear(): void {
    this.#last = 0;
  }
}
