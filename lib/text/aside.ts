/**
 * Tags (`<b>`, `</b>`, `<!-- -->`) and citation marks (`.[1]`): stretches of text inside which nothing ends. What
 * turns out to be neither is refused, and its reader goes back to the sign that opened it.
 */
import { DIGIT, LETTER, SPACE } from "./characters.ts";

const NONE = -1;
const LESS = 0x3c;
const GREATER = 0x3e;
const LEFT_BRACKET = 0x5b;
const RIGHT_BRACKET = 0x5d;
const CARET = 0x5e;
const NEWLINE = 0x0a;
const TAG_MAX_CHARS = 256;
const CITATION_MAX_CHARS = 6;

export class Aside {
  #openedAt = NONE;
  #isTag = false;
  #refusedAt = NONE;
  /** Whether a letter or digit was read inside. */
  hasWord = false;

  get isOpen(): boolean {
    return this.#openedAt !== NONE;
  }

  /** @returns true when `code` opens an aside. A bracket does only right after a mark that may end a sentence. */
  opens(code: number, at: number, isAfterMark: boolean): boolean {
    if (code !== LESS && !(code === LEFT_BRACKET && isAfterMark)) return false;
    if (at === this.#refusedAt) return false;
    this.#openedAt = at;
    this.hasWord = false;
    this.#isTag = code === LESS;
    return true;
  }

  /** The next character inside. `refused`: it was no aside, and `refusedAt` is where to read again. */
  read(code: number, charClass: number, at: number): "inside" | "closed" | "refused" {
    const length = at - this.#openedAt;
    if (charClass & (LETTER | DIGIT)) this.hasWord = true;
    if (this.#isTag) {
      if (code === GREATER && length > 1) return this.#close();
      const fits = length === 1 ? charClass & LETTER || code === 0x2f || code === 0x21 : code !== LESS;
      return fits && code !== NEWLINE && length < TAG_MAX_CHARS ? "inside" : this.#refuse();
    }
    if (code === RIGHT_BRACKET && length > 1) return this.#close();
    const fits = charClass & DIGIT || (code === CARET && length === 1);
    return fits && !(charClass & SPACE) && length < CITATION_MAX_CHARS ? "inside" : this.#refuse();
  }

  get refusedAt(): number {
    return this.#refusedAt;
  }

  clear(): void {
    this.#openedAt = NONE;
  }

  #close(): "closed" {
    this.#openedAt = NONE;
    return "closed";
  }

  #refuse(): "refused" {
    this.#refusedAt = this.#openedAt;
    this.#openedAt = NONE;
    return "refused";
  }
}
