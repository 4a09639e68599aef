/**
 * Quotes and brackets that are open. Straight quotes and apostrophes look alike on both sides, so what stands
 * around them decides; what was opened by mistake (an inch sign, a stray bracket) is forgotten after a while.
 */
import { BRACKETS, DASHES, DIGIT, LETTER, OPENERS, UPPER } from "./characters.ts";

interface OpenMark {
  readonly closers: ReadonlySet<number>;
  readonly at: number;
  /** A bracket that opens inside a sentence: a remark, whose own marks do not end the sentence around it. */
  readonly isRemark: boolean;
}

const NONE = -1;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const TICK = 0x60;
const LEFT_SINGLE = 0x2018;
const RIGHT_SINGLE = 0x2019;
const QUOTE_SET: ReadonlySet<number> = new Set([QUOTE]);
const TICK_SET: ReadonlySet<number> = new Set([TICK]);
const SINGLE_SET: ReadonlySet<number> = new Set([APOSTROPHE, RIGHT_SINGLE]);

/** A quotation longer than this is taken as never closed; its sentences are released one by one. */
const OPEN_MAX_CHARS = 240;
const DEPTH_MAX = 16;

export class OpenMarks {
  #stack: OpenMark[] = [];
  /** The first sentence end seen inside, or -1. */
  firstEnd = NONE;
  /** A single quote at a word's begin, which opens only before a capital. */
  #maybeOpenAt = NONE;
  /** What a single quote closed; put back when a letter shows that it was an apostrophe. */
  #maybeClosed: OpenMark | undefined;

  get depth(): number {
    return this.#stack.length;
  }

  /** Nothing is open, nor waits to be told. */
  get isSettled(): boolean {
    return this.#stack.length === 0 && this.#maybeOpenAt === NONE && this.#maybeClosed === undefined;
  }

  clear(): void {
    if (this.#stack.length > 0) this.#stack.length = 0;
    this.firstEnd = NONE;
    this.#maybeOpenAt = NONE;
    this.#maybeClosed = undefined;
  }

  noteEnd(end: number): void {
    if (this.firstEnd === NONE) this.firstEnd = end;
  }

  endWord(): void {
    this.#maybeOpenAt = NONE;
    this.#maybeClosed = undefined;
  }

  /** The outermost mark has been open for too long: it is none, or was never closed. */
  isExpired(at: number): boolean {
    const outermost = this.#stack[0];
    return outermost !== undefined && at - outermost.at > OPEN_MAX_CHARS;
  }

  /** Closes the innermost mark that `code` closes; undefined when there is none. */
  close(code: number): OpenMark | undefined {
    for (let index = this.#stack.length - 1; index >= 0; index--) {
      const mark = this.#stack[index]!;
      if (!mark.closers.has(code)) continue;
      this.#stack.length = index;
      if (index === 0) this.firstEnd = NONE;
      return mark;
    }
    return undefined;
  }

  /** @returns true when a bracket or quote was opened or closed here. */
  read(
    code: number,
    charClass: number,
    previous: number,
    afterSpace: boolean,
    at: number,
    hasWord: boolean,
  ): boolean {
    if (charClass & (LETTER | DIGIT)) {
      if (this.#maybeClosed !== undefined) this.#stack.push(this.#maybeClosed);
      if (this.#maybeOpenAt !== NONE && charClass & UPPER) this.#push(SINGLE_SET, this.#maybeOpenAt, false);
      this.endWord();
      return false;
    }
    this.endWord();
    const atWordStart = afterSpace || previous === 0 || isOpening(previous);
    if (code === QUOTE) {
      if (this.close(code) !== undefined) return true;
      return atWordStart && this.#push(QUOTE_SET, at, false);
    }
    if (code === TICK) {
      if (previous === TICK && !afterSpace) return false;
      return this.close(code) !== undefined || this.#push(TICK_SET, at, false);
    }
    if (code === APOSTROPHE || code === LEFT_SINGLE || code === RIGHT_SINGLE) {
      if (!atWordStart && code !== LEFT_SINGLE) this.#maybeClosed = this.close(code);
      else if (code !== RIGHT_SINGLE) this.#maybeOpenAt = at;
      return false;
    }
    if (this.close(code) !== undefined) return true;
    const closers = OPENERS.get(code);
    return closers !== undefined && this.#push(closers, at, hasWord && BRACKETS.has(code));
  }

  #push(closers: ReadonlySet<number>, at: number, isRemark: boolean): boolean {
    if (this.#stack.length >= DEPTH_MAX) return false;
    this.#stack.push({ closers, at, isRemark });
    return true;
  }
}

/** Marks after which a straight quote opens. */
function isOpening(code: number): boolean {
  return (
    OPENERS.has(code) || DASHES.has(code) || code === QUOTE || code === APOSTROPHE || OPENING_SIGNS.has(code)
  );
}
const OPENING_SIGNS: ReadonlySet<number> = new Set(Array.from("*_~>=/:", (char) => char.charCodeAt(0)));
