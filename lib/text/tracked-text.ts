/**
 * Text that is rewritten step by step and still knows of every character which part of the original it says. So a
 * spoken word ("dollars") finds the written one ("$5"), for captions and word timings.
 */

/** One spoken word and the half-open range of the original, in UTF-16 units, that it says. */
export interface SourceWord {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Gets the match and its groups, absent ones as "". @returns what stands in its place; undefined leaves it. */
export type Rewrite = (...match: string[]) => string | undefined;

export class TrackedText {
  #text: string;
  /** Of each character, where its source begins and ends; undefined as long as nothing was rewritten. */
  #from: number[] | undefined;
  #to: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** @param pattern with the flag `g`. */
  replace(pattern: RegExp, rewrite: string | Rewrite): this {
    let text = "";
    let done = 0;
    const from: number[] = [];
    const to: number[] = [];
    for (const match of this.#text.matchAll(pattern)) {
      const said =
        typeof rewrite === "string" ? rewrite : rewrite(...Array.from(match, (part) => part ?? ""));
      if (said === undefined || said === match[0]) continue;
      this.#track();
      // A label out of its link, a word out of its stars: it keeps its own place.
      const within = said === "" ? -1 : match[0].indexOf(said);
      if (within >= 0) {
        const begin = match.index + within;
        this.#copy(done, match.index, from, to);
        this.#copy(begin, begin + said.length, from, to);
        text += this.#text.slice(done, match.index) + said;
        done = match.index + match[0].length;
        continue;
      }
      const [keptBefore, keptAfter] = commonEnds(match[0], said);
      const begin = match.index + keptBefore;
      const end = match.index + match[0].length - keptAfter;
      this.#copy(done, begin, from, to);
      text += this.#text.slice(done, begin) + said.slice(keptBefore, said.length - keptAfter);
      const sourceFrom = this.#from![begin] ?? this.#to.at(-1) ?? 0;
      const sourceTo = end > begin ? this.#to[end - 1]! : sourceFrom;
      for (let index = keptBefore; index < said.length - keptAfter; index++) {
        from.push(sourceFrom);
        to.push(Math.max(sourceFrom, sourceTo));
      }
      done = end;
    }
    // Only what was rewritten has been copied so far.
    if (done === 0 && from.length === 0 && text === "") return this;
    this.#copy(done, this.#text.length, from, to);
    this.#text = text + this.#text.slice(done);
    this.#from = from;
    this.#to = to;
    return this;
  }

  words(): SourceWord[] {
    return Array.from(this.#text.matchAll(/\S+/gu), ({ 0: word, index }) => {
      const last = index + word.length;
      if (this.#from === undefined) return { word, from: index, to: last };
      let from = Number.POSITIVE_INFINITY;
      let to = 0;
      for (let at = index; at < last; at++) {
        from = Math.min(from, this.#from[at]!);
        to = Math.max(to, this.#to[at]!);
      }
      return { word, from, to };
    });
  }

  #track(): void {
    if (this.#from !== undefined) return;
    this.#from = Array.from({ length: this.#text.length }, (_, index) => index);
    this.#to = this.#from.map((index) => index + 1);
  }

  #copy(begin: number, end: number, from: number[], to: number[]): void {
    for (let index = begin; index < end; index++) {
      from.push(this.#from![index]!);
      to.push(this.#to[index]!);
    }
  }
}

/** How much of `said` at its begin and end is `written` itself, in whole words: these keep their own place. */
function commonEnds(written: string, said: string): [before: number, after: number] {
  const most = Math.min(written.length, said.length);
  let before = 0;
  while (before < most && written[before] === said[before]) before++;
  if (before > 0 && before < said.length) before = said.lastIndexOf(" ", before - 1) + 1;
  let after = 0;
  while (after < most - before && written[written.length - 1 - after] === said[said.length - 1 - after])
    after++;
  if (after < said.length - before) {
    const space = said.indexOf(" ", said.length - after);
    after = space < 0 ? 0 : said.length - space;
  }
  return [before, after];
}
