/**
 * A mark that may end a sentence, until the characters after it confirm or drop it. Closing quotes, brackets,
 * emphasis, emoji and further marks belong to it; a space, a capital, a digit or the whole next word decides,
 * whichever comes first (sentence-end.ts).
 */
import {
  BRACKETS,
  CLOSERS,
  DASHES,
  ELLIPSES,
  EMOJI,
  EMPHASIS,
  EXTENDER,
  IDEOGRAPH,
  INVERTED,
  LETTER,
  LOWER,
  OPENERS,
  STOPS,
  STRONG_MARKS,
  UPPER,
  WIDE_CLAUSE_MARKS,
  WIDE_MARKS,
} from "./characters.ts";
import type { OpenMarks } from "./open-marks.ts";
import {
  isAddress,
  type StopKind,
  TOKEN_MAX_CHARS,
  type Verdict,
  verdictByChar,
  verdictByWord,
  verdictGlued,
} from "./sentence-end.ts";

export type MarkKind = "stop" | "strong" | "wide" | "ellipsis";
/** `open`: not decided yet. */
export type Outcome = "end" | "dropped" | "open";

/** After a quotation that begins a Chinese or Japanese sentence, these go on with it ("... he said"). */
const QUOTE_GOES_ON = /^[とって他她它我]/u;
const isApostrophe = (code: number): boolean => code === 0x27 || code === 0x2019;
const TICK = 0x60;

/**
 * The kind of mark that `code` is, if it may end a sentence at all.
 * @param previous the character before it in the same word, or 0.
 */
export function markKind(code: number, previous: number): MarkKind | undefined {
  if (STOPS.has(code)) return STOPS.has(previous) ? "ellipsis" : "stop";
  if (WIDE_MARKS.has(code)) return "wide";
  if (STRONG_MARKS.has(code)) return "strong";
  if (ELLIPSES.has(code)) return "ellipsis";
  // Greek asks with what looks like a semicolon.
  return code === 0x3b && /\p{Script=Greek}/u.test(String.fromCodePoint(previous)) ? "strong" : undefined;
}

export class PendingEnd {
  /** Position after the mark and all that closes with it. */
  end: number;
  /** Quotes and brackets open at `end`. */
  depth: number;
  #mark: MarkKind;
  #kind: StopKind;
  readonly #token: string;
  readonly #isFirst: boolean;
  #isClosed = false;
  #phase: "mark" | "space" | "word" | "glued" = "mark";
  #word = "";

  /**
   * @param token what stands before the mark, without a space.
   * @param isFirst whether that is the first word of the piece.
   */
  constructor(mark: MarkKind, kind: StopKind, token: string, isFirst: boolean, end: number, depth: number) {
    this.#mark = mark;
    this.#kind = kind;
    this.#token = token;
    this.#isFirst = isFirst;
    this.end = end;
    this.depth = depth;
  }

  /** Only what comes next could still show that it is no end; a mark alone may be half of a number. */
  get isFinished(): boolean {
    const isLikely = this.#kind === "word" || this.#kind === "number" || this.#kind === "closing";
    return isLikely && (this.#phase !== "mark" || this.#mark !== "stop");
  }

  /** Nothing but what closes with the mark has followed yet. */
  get isAtMark(): boolean {
    return this.#phase === "mark";
  }

  /** A quote closed with the mark: what follows may go on with the sentence around it. */
  close(): void {
    this.#isClosed = true;
  }

  space(): Outcome {
    if (this.#phase === "word" || this.#phase === "glued") return this.#judgeWord(" ");
    if (this.#phase === "space") return "open";
    this.#phase = "space";
    if (this.#mark === "wide") return "end";
    // A full stop on its own may be one of three: ". . .".
    const isAlone = this.#mark === "stop" && this.#token === "";
    return this.#kind === "word" && !this.#isClosed && !isAlone && this.#mark !== "ellipsis" ? "end" : "open";
  }

  /** A character that is no space. When it belongs to the end, `end` has moved behind it. */
  read(code: number, charClass: number, end: number, open: OpenMarks): Outcome {
    if (this.#phase === "mark") return this.#afterMark(code, charClass, end, open);
    if (this.#phase === "space") return this.#afterSpace(code, charClass);
    const goesOn = charClass & (LETTER | EXTENDER) || (this.#phase === "word" && isApostrophe(code));
    if (goesOn && this.#word.length < TOKEN_MAX_CHARS) {
      this.#word += String.fromCodePoint(code);
      return "open";
    }
    return this.#judgeWord(String.fromCodePoint(code));
  }

  #afterMark(code: number, charClass: number, end: number, open: OpenMarks): Outcome {
    if (STOPS.has(code) || ELLIPSES.has(code)) {
      if (this.#mark === "stop") this.#mark = "ellipsis";
      return this.#extend(end);
    }
    if (STRONG_MARKS.has(code) || WIDE_MARKS.has(code)) {
      this.#mark = WIDE_MARKS.has(code) ? "wide" : "strong";
      return this.#extend(end);
    }
    if (CLOSERS.has(code)) {
      // "it works (really!) and": the mark belongs to the remark, not to the sentence around it.
      if (open.close(code)?.isRemark) return "dropped";
      this.#isClosed = true;
      // A number or "no" with a quote behind it has nothing to stand before.
      if (this.#kind === "number" || this.#kind === "numbered") this.#kind = "word";
      this.end = end;
      this.depth = open.depth;
      return "open";
    }
    if (EMPHASIS.has(code) || charClass & (EMOJI | EXTENDER)) {
      if (code === TICK) open.close(code);
      this.end = end;
      this.depth = open.depth;
      return "open";
    }
    return this.#besideMark(code, charClass);
  }

  #extend(end: number): Outcome {
    this.#kind = "word";
    this.end = end;
    return "open";
  }

  /** Something stands right beside the mark, without a space. */
  #besideMark(code: number, charClass: number): Outcome {
    if (this.#mark === "wide") {
      if (WIDE_CLAUSE_MARKS.has(code) || DASHES.has(code)) return "dropped";
      const opensSentence = this.#isClosed && this.#isFirst;
      return opensSentence && QUOTE_GOES_ON.test(String.fromCodePoint(code)) ? "dropped" : "end";
    }
    if (charClass & IDEOGRAPH) return this.#mark === "ellipsis" ? "dropped" : "end";
    if (INVERTED.has(code) && this.#mark !== "stop") return "end";
    if (!(charClass & LETTER) || this.#kind !== "word" || isAddress(this.#token)) return "dropped";
    if (charClass & UPPER) {
      if (this.#mark !== "stop") return "end";
      this.#phase = "glued";
      this.#word = String.fromCodePoint(code);
      return "open";
    }
    // Scripts without capitals: a word of two letters or more before the mark is no abbreviation.
    return !(charClass & LOWER) && /[\p{Lo}\p{M}]{2}$/u.test(this.#token) ? "end" : "dropped";
  }

  #afterSpace(code: number, charClass: number): Outcome {
    if (INVERTED.has(code)) return "end";
    if (BRACKETS.has(code)) return this.#kind === "word" ? "open" : "dropped";
    if (OPENERS.has(code) || EMPHASIS.has(code) || code === 0x22 || code === 0x27) return "open";
    const digits = /\p{N}+$/u.exec(this.#token)?.[0].length ?? 0;
    const verdict = verdictByChar(this.#kind, code, charClass, digits);
    if (verdict !== "read-word") return outcome(verdict);
    this.#phase = "word";
    this.#word = String.fromCodePoint(code);
    return "open";
  }

  #judgeWord(next: string): Outcome {
    return outcome(
      this.#phase === "glued"
        ? verdictGlued(this.#token, this.#isFirst, this.#word, next)
        : verdictByWord(this.#kind, this.#word, next),
    );
  }
}

const outcome = (verdict: Verdict): Outcome => (verdict === "end" ? "end" : "dropped");
