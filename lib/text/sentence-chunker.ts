/**
 * Text as a language model writes it in, finished sentences out, each as early as it can be decided. A state
 * machine over characters: no result depends on how the text was cut into fragments, the work grows with the
 * text's length, and no more than about two pieces' worth of text is ever held (`maxChars`).
 *
 * A mark that could end a sentence makes a *pending end*; the characters after it confirm or drop it
 * (sentence-end.ts judges). A confirmed end releases the piece and scanning goes on right after it, so the few
 * characters that were looked at ahead are read twice. Inside quotes and brackets ends are only noted: a quotation
 * stays whole, unless it was never closed.
 */
import {
  BRACKETS,
  CLAUSE_MARKS,
  CLOSERS,
  classOf,
  DASHES,
  DIGIT,
  ELLIPSES,
  EMOJI,
  EMPHASIS,
  EXTENDER,
  FINAL_MARKS,
  IDEOGRAPH,
  INVERTED,
  isHighSurrogate,
  LETTER,
  OPENERS,
  SPACE,
  STOPS,
  STRONG_MARKS,
  UPPER,
  WIDE_CLAUSE_MARKS,
  WIDE_MARKS,
} from "./characters.ts";
import { CutPlaces } from "./cut-places.ts";
import { endsWithLine, LINE_START_MAX_CHARS, type LineKind, lineKind } from "./line-start.ts";
import { OpenMarks } from "./open-marks.ts";
import {
  endsAtSpace,
  isAddress,
  isNameWithMark,
  type StopKind,
  stopKind,
  TOKEN_MAX_CHARS,
  verdictByChar,
  verdictByWord,
  verdictGlued,
} from "./sentence-end.ts";
import { hasSpeakableText } from "./speakable.ts";

export interface ChunkerOptions {
  /** A run without a mark is cut before it is longer than this (a single longer word: than twice this). Default 400. */
  readonly maxChars?: number;
  /** The first piece of a turn may end at a clause mark once it is this long. Default: off. */
  readonly firstPieceMaxChars?: number;
  /** A sentence shorter than this is joined to the next one, unless a paragraph ends. Default 0: off. */
  readonly minChars?: number;
}

interface PendingEnd {
  mark: "stop" | "strong" | "wide" | "ellipsis";
  kind: StopKind;
  /** Position after the mark and whatever closes with it. */
  end: number;
  /** A closing quote or bracket follows the mark: what comes next must begin a sentence. */
  closed: boolean;
  /** Quotes and brackets open at `end`. */
  depth: number;
  phase: "mark" | "space" | "word" | "glued";
  token: string;
  isFirst: boolean;
  /** Where the deciding word begins, in the phases `word` and `glued`. */
  wordAt: number;
}

const NONE = -1;
const NEWLINE = 0x0a;
const MAX_CHARS_DEFAULT = 400;
/** A tag or a citation mark longer than this is none. */
const SKIP_MAX_CHARS = 256;
/** After a quotation that opens a Chinese or Japanese sentence, these go on with it ("... he said"). */
const QUOTE_GOES_ON = /^[とって他她它]/u;

export class IncrementalSentenceChunker {
  readonly #maxChars: number;
  readonly #firstPieceMaxChars: number;
  readonly #minChars: number;

  // Positions count UTF-16 units from the begin of the turn; `#text` starts at position `#origin`.
  #text = "";
  #origin = 0;
  #base = 0;
  #cursor = 0;
  #released = false;

  // The piece in hand; all of this is forgotten at a cut.
  #firstWordAt = NONE;
  #textEnd = 0;
  #tokenAt = NONE;
  #inSpace = true;
  #previous = 0;
  #afterColon = false;
  #lastItem = 0;
  #pending: PendingEnd | undefined;
  readonly #open = new OpenMarks();
  readonly #places = new CutPlaces();
  #skipUntil = 0;
  #skipAt = NONE;
  #notSkippedAt = NONE;

  // The line in hand.
  #newlineSeen = false;
  #line: LineKind = "plain";
  #lineBefore: LineKind = "plain";
  #breakAt = 0;
  #probing = true;
  #probeAt = NONE;
  #indented = false;

  constructor(options: ChunkerOptions = {}) {
    this.#maxChars = Math.max(16, options.maxChars ?? MAX_CHARS_DEFAULT);
    this.#firstPieceMaxChars = options.firstPieceMaxChars ?? Number.POSITIVE_INFINITY;
    this.#minChars = options.minChars ?? 0;
  }

  /** Takes the next fragment of the text; gives the pieces that it finished, trimmed, in order. */
  feed(fragment: string): string[] {
    const pieces: string[] = [];
    this.#text = this.#text === "" ? fragment : this.#text + fragment;
    for (;;) {
      const at = this.#cursor - this.#origin;
      if (at >= this.#text.length) break;
      const code = this.#text.codePointAt(at)!;
      // Its other half is in the next fragment.
      if (isHighSurrogate(code) && at + 1 === this.#text.length) break;
      const end = this.#cursor + (code > 0xffff ? 2 : 1);
      this.#cursor = end;
      const cut = this.#step(code, end - (code > 0xffff ? 2 : 1), end);
      if (cut !== NONE) pieces.push(this.#release(cut));
    }
    if (this.#base > this.#origin) {
      this.#text = this.#text.slice(this.#base - this.#origin);
      this.#origin = this.#base;
    }
    return pieces;
  }

  /** Ends the turn: gives what is left, or null when that has no letter or digit. Ready for the next turn. */
  flush(): string | null {
    const rest = this.#slice(this.#base, this.#origin + this.#text.length).trim();
    this.reset();
    return hasSpeakableText(rest) ? rest : null;
  }

  /** Forgets everything fed, as when the turn is interrupted. */
  reset(): void {
    this.#text = "";
    this.#origin = 0;
    this.#base = 0;
    this.#cursor = 0;
    this.#released = false;
    this.#beginPiece();
    this.#newlineSeen = false;
    this.#line = "plain";
    this.#lineBefore = "plain";
    this.#probing = true;
    this.#probeAt = NONE;
    this.#indented = false;
    this.#notSkippedAt = NONE;
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(from - this.#origin, to - this.#origin);
  }

  #release(cut: number): string {
    const piece = this.#slice(this.#base, cut).trim();
    this.#released = true;
    this.#base = cut;
    this.#cursor = cut;
    this.#beginPiece();
    return piece;
  }

  #beginPiece(): void {
    this.#firstWordAt = NONE;
    this.#textEnd = this.#base;
    this.#tokenAt = NONE;
    this.#inSpace = true;
    this.#previous = 0;
    this.#afterColon = false;
    this.#lastItem = 0;
    this.#pending = undefined;
    this.#open.clear();
    this.#places.clear();
    this.#skipUntil = 0;
    this.#skipAt = NONE;
  }

  /** @returns the position to cut at, or NONE. */
  #step(code: number, at: number, end: number): number {
    const charClass = classOf(code);
    const tooLong = this.#checkLength(at, charClass);
    if (tooLong !== NONE) return tooLong;
    if (charClass & SPACE) return this.#space(code, at, end);
    if (this.#probing) {
      const cut = this.#probeLine(at, end, charClass);
      if (cut !== NONE) return cut;
    }
    this.#newlineSeen = false;
    if (this.#skipUntil !== 0) return this.#skip(code, at, end);
    let cut = this.#resolve(code, charClass, at, end);
    if (cut !== NONE) return cut;
    if (this.#pending?.phase !== "mark" || this.#pending.end !== end) {
      cut = this.#read(code, charClass, at, end);
    }
    this.#textEnd = end;
    this.#inSpace = false;
    this.#previous = code;
    return cut;
  }

  // --- length -------------------------------------------------------------------------------------------------

  #checkLength(at: number, charClass: number): number {
    const length = at - this.#base;
    const expired = this.#open.expired(at);
    if (expired) {
      this.#open.clear();
      if (expired.firstEnd !== NONE) return this.#accept(expired.firstEnd, false);
    }
    if (
      length >= this.#firstPieceMaxChars &&
      !this.#released &&
      this.#open.depth === 0 &&
      this.#places.clause !== NONE
    ) {
      const cut = this.#accept(this.#places.clause, false);
      if (cut !== NONE) return cut;
    }
    if (length < this.#maxChars) return NONE;
    const cut = this.#accept(this.#places.best(this.#base, this.#maxChars), true);
    if (cut !== NONE) return cut;
    if (length < 2 * this.#maxChars || charClass & EXTENDER) return NONE;
    if (this.#firstWordAt !== NONE) return at;
    // Marks alone without end: nobody hears them, and they must not fill the memory.
    this.#base = at;
    this.#beginPiece();
    return NONE;
  }

  /** A cut must leave a word before it; a short piece is kept for the next unless `forced`. */
  #accept(cut: number, forced: boolean): number {
    if (cut === NONE || this.#firstWordAt === NONE || this.#firstWordAt >= cut) return NONE;
    return forced || cut - this.#base >= this.#minChars ? cut : NONE;
  }

  // --- white space and lines ----------------------------------------------------------------------------------

  #space(code: number, at: number, end: number): number {
    if (code === NEWLINE) {
      const cut = this.#newline();
      if (cut !== NONE) return cut;
    } else if (this.#probing) {
      if (this.#probeAt === NONE) this.#indented = true;
      else {
        const cut = this.#probeLine(at, end, SPACE);
        if (cut !== NONE) return cut;
      }
    }
    if (this.#skipUntil !== 0) {
      if (code === NEWLINE || this.#skipUntil === 0x5d) this.#unskip();
      this.#inSpace = true;
      return NONE;
    }
    const pending = this.#pending;
    if (pending !== undefined) {
      if (pending.phase === "mark") {
        if (this.#endsAtSpace(pending)) {
          const cut = this.#confirm();
          if (cut !== NONE) return cut;
        } else pending.phase = "space";
      } else if (pending.phase !== "space") {
        const cut = this.#judgeWord(at, " ");
        if (cut !== NONE) return cut;
      }
    }
    if (!this.#inSpace) {
      if (CLAUSE_MARKS.has(this.#previous) && this.#open.depth === 0) this.#places.clause = at;
      if (DASHES.has(this.#previous)) this.#places.dash = at;
      this.#afterColon = this.#previous === 0x3a;
    }
    this.#open.noteSpace();
    this.#inSpace = true;
    this.#tokenAt = NONE;
    // White space before a piece is not kept.
    if (this.#firstWordAt === NONE && this.#textEnd === this.#base) {
      this.#base = end;
      this.#textEnd = end;
    }
    return NONE;
  }

  #newline(): number {
    this.#skipUntil = 0;
    const before = this.#textEnd;
    if (this.#newlineSeen) {
      // A blank line ends whatever was open.
      this.#open.clear();
      this.#line = "plain";
      this.#lineBefore = "plain";
      return this.#accept(before, true);
    }
    const line = this.#line;
    this.#newlineSeen = true;
    this.#line = "plain";
    this.#lineBefore = line;
    this.#breakAt = before;
    this.#probing = true;
    this.#probeAt = NONE;
    this.#indented = false;
    return endsWithLine(line) ? this.#accept(before, true) : NONE;
  }

  #probeLine(at: number, end: number, charClass: number): number {
    if (this.#probeAt === NONE) {
      this.#probeAt = at;
      if (this.#lineBefore === "item" && !this.#indented && charClass & UPPER) {
        // Text that stands under a list, not in it.
        const cut = this.#accept(this.#breakAt, true);
        if (cut !== NONE) return cut;
      }
    }
    const known = lineKind(this.#slice(this.#probeAt, end));
    if (known === undefined && end - this.#probeAt < LINE_START_MAX_CHARS) return NONE;
    this.#probing = false;
    if (known === undefined || known === "plain") return NONE;
    const cut = this.#accept(this.#breakAt, true);
    if (cut === NONE) this.#line = known;
    return cut;
  }

  // --- tags and citation marks, inside which nothing ends -----------------------------------------------------

  #skip(code: number, at: number, end: number): number {
    this.#textEnd = end;
    this.#inSpace = false;
    if (code === this.#skipUntil) {
      this.#skipUntil = 0;
      this.#previous = code;
      if (this.#pending?.phase === "mark") this.#pending.end = end;
    } else if (code === 0x3c || at - this.#skipAt > SKIP_MAX_CHARS) this.#unskip();
    return NONE;
  }

  /** It was none: reads it again as text. */
  #unskip(): void {
    this.#skipUntil = 0;
    this.#notSkippedAt = this.#skipAt;
    this.#cursor = this.#skipAt;
    this.#pending = undefined;
  }

  // --- pending ends -------------------------------------------------------------------------------------------

  #endsAtSpace(pending: PendingEnd): boolean {
    if (pending.mark === "wide") return true;
    if (pending.closed || pending.mark === "ellipsis") return false;
    return pending.mark === "strong" ? pending.kind === "word" : endsAtSpace(pending.kind);
  }

  /** The pending end is one: cuts there, or notes it inside quotes. */
  #confirm(): number {
    const { end, depth } = this.#pending!;
    this.#pending = undefined;
    if (depth === 0) return this.#accept(end, false);
    this.#open.noteEnd(end);
    return NONE;
  }

  #resolve(code: number, charClass: number, at: number, end: number): number {
    const pending = this.#pending;
    if (pending === undefined) return NONE;
    if (pending.phase === "mark") return this.#afterMark(pending, code, charClass, at, end);
    if (pending.phase === "space") return this.#afterSpace(pending, code, charClass, at);
    if (charClass & (LETTER | EXTENDER) || ((code === 0x27 || code === 0x2019) && pending.phase === "word")) {
      if (at - pending.wordAt < TOKEN_MAX_CHARS) return NONE;
    }
    return this.#judgeWord(at, String.fromCodePoint(code));
  }

  #afterMark(pending: PendingEnd, code: number, charClass: number, at: number, end: number): number {
    if (STOPS.has(code) || ELLIPSES.has(code)) {
      if (pending.mark === "stop") pending.mark = "ellipsis";
      pending.kind = "word";
      pending.end = end;
      return NONE;
    }
    if (STRONG_MARKS.has(code) || WIDE_MARKS.has(code)) {
      pending.mark = WIDE_MARKS.has(code) ? "wide" : "strong";
      pending.kind = "word";
      pending.end = end;
      return NONE;
    }
    if (CLOSERS.has(code)) {
      const closed = this.#open.close(code);
      if (closed?.isRemark) {
        // "it works (really!) and": the mark belongs to the remark, not to the sentence around it.
        this.#pending = undefined;
        return NONE;
      }
      pending.end = end;
      pending.closed = true;
      pending.depth = this.#open.depth;
      return NONE;
    }
    if (EMPHASIS.has(code) || charClass & (EMOJI | EXTENDER)) {
      if (code === 0x60) this.#open.close(code);
      pending.end = end;
      pending.depth = this.#open.depth;
      return NONE;
    }
    // "<br>" or "[1]" right after the mark stays with it.
    if (code === 0x3c || code === 0x5b) return NONE;
    return this.#glued(pending, code, charClass, at);
  }

  /** Something stands right behind the mark, without a space. */
  #glued(pending: PendingEnd, code: number, charClass: number, at: number): number {
    const { mark, token } = pending;
    const before = token.slice(-1);
    if (mark === "wide") {
      const goesOn =
        WIDE_CLAUSE_MARKS.has(code) ||
        DASHES.has(code) ||
        (pending.closed && pending.isFirst && QUOTE_GOES_ON.test(String.fromCodePoint(code)));
      if (!goesOn) return this.#confirm();
    } else if (charClass & IDEOGRAPH) {
      return this.#confirm();
    } else if (INVERTED.has(code) && mark !== "stop") {
      return this.#confirm();
    } else if (charClass & LETTER && !isAddress(token) && pending.kind === "word") {
      const uncased = (charClass & (UPPER | 4)) === 0 && /\p{Lo}|\p{M}/u.test(before);
      if (uncased && token.length > 1) return this.#confirm();
      if (charClass & UPPER) {
        if (mark !== "stop") return this.#confirm();
        pending.phase = "glued";
        pending.wordAt = at;
        return NONE;
      }
    }
    this.#pending = undefined;
    return NONE;
  }

  #afterSpace(pending: PendingEnd, code: number, charClass: number, at: number): number {
    if (INVERTED.has(code)) return this.#confirm();
    if (OPENERS.has(code) || EMPHASIS.has(code) || code === 0x22 || code === 0x27) {
      if (!BRACKETS.has(code) || pending.kind === "word") return NONE;
      this.#pending = undefined;
      return NONE;
    }
    const digits = /\p{N}+$/u.exec(pending.token)?.[0].length ?? 0;
    const verdict = verdictByChar(pending.kind, code, charClass, digits);
    if (verdict === "end") return this.#confirm();
    if (verdict === "goes-on") this.#pending = undefined;
    else {
      pending.phase = "word";
      pending.wordAt = at;
    }
    return NONE;
  }

  #judgeWord(at: number, next: string): number {
    const pending = this.#pending!;
    const word = this.#slice(pending.wordAt, at);
    const verdict =
      pending.phase === "glued"
        ? verdictGlued(pending.token, pending.isFirst, word, next)
        : verdictByWord(pending.kind, word, next);
    if (verdict === "end") return this.#confirm();
    this.#pending = undefined;
    return NONE;
  }

  // --- plain reading ------------------------------------------------------------------------------------------

  #read(code: number, charClass: number, at: number, end: number): number {
    if (this.#inSpace || this.#tokenAt === NONE) this.#beginToken(at, charClass);
    if (charClass & (LETTER | DIGIT)) {
      if (this.#firstWordAt === NONE) this.#firstWordAt = at;
      if (charClass & IDEOGRAPH) this.#places.space = at;
    }
    if (this.#opensSkip(code, charClass, at)) return NONE;
    if (this.#open.read(code, charClass, this.#previous, this.#inSpace, at, this.#firstWordAt !== NONE)) {
      this.#places.bracket = BRACKETS.has(code) ? at : end;
    }
    if (WIDE_CLAUSE_MARKS.has(code)) {
      if (this.#open.depth === 0) this.#places.clause = end;
    } else if (code === 0x2014) this.#places.dash = end;
    return this.#mark(code, end);
  }

  #beginToken(at: number, charClass: number): void {
    const betweenDigits = charClass & DIGIT && classOf(this.#previous) & DIGIT;
    if (this.#textEnd > this.#base && !betweenDigits) this.#places.space = this.#textEnd;
    this.#tokenAt = at;
  }

  /** "<b>", "</b>", "<!-- -->"; "[1]" after a mark. The sign before has been read already. */
  #opensSkip(code: number, charClass: number, at: number): boolean {
    const sign = this.#inSpace ? 0 : this.#previous;
    const startsTag = sign === 0x3c && (charClass & LETTER || code === 0x2f || code === 0x21);
    const startsCitation = sign === 0x5b && this.#pending?.phase === "mark" && charClass & DIGIT;
    if ((!startsTag && !startsCitation) || this.#notSkippedAt === at - 1) {
      if (sign === 0x3c || sign === 0x5b) if (this.#pending?.phase === "mark") this.#pending = undefined;
      return false;
    }
    this.#skipUntil = startsTag ? 0x3e : 0x5d;
    this.#skipAt = at - 1;
    if (startsTag && this.#firstWordAt === at) this.#firstWordAt = NONE;
    return true;
  }

  #mark(code: number, end: number): number {
    const isStop = STOPS.has(code);
    const isWide = WIDE_MARKS.has(code);
    const isStrong =
      STRONG_MARKS.has(code) ||
      (code === 0x3b && /\p{Script=Greek}/u.test(String.fromCodePoint(this.#previous || 32)));
    const isEllipsis = ELLIPSES.has(code);
    if (!isStop && !isWide && !isStrong && !isEllipsis) return NONE;
    if (isEllipsis && this.#tokenAt === end - 1 && this.#firstWordAt === NONE) return NONE;
    const tokenEnd = end - 1;
    const from = Math.max(this.#tokenAt, tokenEnd - TOKEN_MAX_CHARS - 1);
    const token = this.#slice(from, tokenEnd);
    const isFirst = this.#firstWordAt !== NONE && this.#firstWordAt >= this.#tokenAt;
    let kind: StopKind = "word";
    if (isStop) {
      const dots = STOPS.has(this.#previous) && !this.#inSpace;
      kind = dots ? "word" : stopKind(token, isFirst, this.#afterColon);
      if (/^\d{1,3}$/.test(token)) {
        if (kind === "never" || Number(token) === this.#lastItem + 1) {
          kind = "never";
          this.#lastItem = Number(token);
        }
      }
      if (kind === "never") return NONE;
    } else if (isStrong && isNameWithMark(token)) kind = "open";
    this.#pending = {
      mark: isStop
        ? STOPS.has(this.#previous)
          ? "ellipsis"
          : "stop"
        : isWide
          ? "wide"
          : isStrong
            ? "strong"
            : "ellipsis",
      kind,
      end,
      closed: false,
      depth: this.#open.depth,
      phase: "mark",
      token,
      isFirst,
      wordAt: NONE,
    };
    return FINAL_MARKS.has(code) && this.#open.depth === 0 ? this.#confirm() : NONE;
  }
}
