/**
 * Text as a language model writes it in, finished sentences out, each as early as it can be decided. A state
 * machine over characters: no result depends on how the text was cut into fragments, the work grows with the
 * text's length, and no more than about two pieces' worth of text is ever held (`maxChars`).
 *
 * A mark that could end a sentence makes a pending end; the characters after it confirm or drop it. A confirmed
 * end releases the piece, and reading goes on right behind it: the few characters looked at ahead are read twice.
 * Inside quotes and brackets an end is only noted: a quotation stays whole, unless it is never closed.
 */
import { Aside } from "./aside.ts";
import {
  BRACKETS,
  classOf,
  DIGIT,
  EXTENDER,
  FINAL_MARKS,
  IDEOGRAPH,
  LETTER,
  SPACE,
  SPACED_CLOSERS,
  TERMINAL,
  WIDE_CLAUSE_MARKS,
} from "./characters.ts";
import { type ChunkerOptions, withDefaults } from "./chunker-options.ts";
import { CutPlaces } from "./cut-places.ts";
import { ItemCount } from "./item-count.ts";
import { LineTracker } from "./line-tracker.ts";
import { OpenMarks } from "./open-marks.ts";
import { markKind, type Outcome, PendingEnd } from "./pending-end.ts";
import { markedKind, stopKind, TOKEN_MAX_CHARS } from "./sentence-end.ts";
import { hasSpeakableText } from "./speakable.ts";
import { TextWindow } from "./text-window.ts";

const NONE = -1;
const NEWLINE = 0x0a;
const COLON = 0x3a;
const STALLED_LEAST_CHARS = 12;

export class IncrementalSentenceChunker {
  readonly #options: Required<ChunkerOptions>;

  readonly #text = new TextWindow();
  #base = 0;
  #cursor = 0;
  #released = false;
  readonly #line = new LineTracker();
  readonly #aside = new Aside();

  // The piece in hand; all of this is forgotten at a cut.
  #firstWordAt = NONE;
  #textEnd = 0;
  #lineBreak = 0;
  #tokenAt = NONE;
  #previous = 0;
  #isAfterColon = false;
  readonly #items = new ItemCount();
  /** Where a sentence inside quotes ended last. */
  #innerEnd = NONE;
  #pending: PendingEnd | undefined;
  readonly #open = new OpenMarks();
  readonly #places = new CutPlaces();

  constructor(options: ChunkerOptions = {}) {
    this.#options = withDefaults(options);
    this.#line.reset();
  }

  /** Takes the next fragment of the text; gives the pieces that it finished, trimmed, in order. */
  feed(fragment: string): string[] {
    const pieces: string[] = [];
    this.#text.append(fragment);
    for (;;) {
      this.#skipPlainWords();
      const at = this.#cursor;
      const code = this.#text.codeAt(at);
      if (code === undefined) break;
      this.#cursor = at + (code > 0xffff ? 2 : 1);
      const cut = this.#step(code, classOf(code), at, this.#cursor);
      if (cut !== NONE) pieces.push(this.#release(cut));
    }
    this.#text.forgetBefore(this.#base);
    return pieces;
  }

  /** Ends the turn: gives what is left, or null when that has no letter or digit. Ready for the next turn. */
  flush(): string | null {
    const rest = this.#text.slice(this.#base, this.#text.end).trim();
    this.reset();
    return hasSpeakableText(rest) ? rest : null;
  }

  /** The source pauses: a sentence whose end only waits to be confirmed, or a clause. Never half a word; mostly nothing. */
  releaseStalled(): string[] {
    const isEnded = this.#pending?.isFinished === true && this.#pending.depth === 0;
    const isClause = this.#open.depth === 0 && this.#places.clause - this.#base >= STALLED_LEAST_CHARS;
    const cut = isEnded ? this.#pending!.end : isClause ? this.#places.clause : NONE;
    if (this.#aside.isOpen || this.#accept(cut, true) === NONE) return [];
    return [this.#release(cut), ...this.feed("")];
  }

  /** Forgets everything fed, as when the turn is interrupted. */
  reset(): void {
    this.#text.clear();
    this.#cursor = 0;
    this.#released = false;
    this.#line.reset();
    this.#beginPiece(0);
  }

  /** Reads plain words on at once, for speed alone: where anything is open or a length may be reached, #step reads. */
  #skipPlainWords(): void {
    if (this.#tokenAt === NONE || this.#firstWordAt === NONE || this.#pending !== undefined) return;
    if (this.#aside.isOpen || !this.#open.isSettled || !this.#line.isTold) return;
    const { maxChars, firstPieceMaxChars } = this.#options;
    const limit = this.#base + Math.min(maxChars, this.#released ? maxChars : firstPieceMaxChars);
    for (;;) {
      const end = this.#text.wordRunEnd(this.#cursor, limit);
      if (end <= this.#cursor) return;
      this.#previous = this.#text.unitAt(end - 1);
      this.#cursor = end;
      this.#textEnd = end;
      if (end + 1 >= limit || !this.#text.beginsPlainWord(end)) return;
      this.#isAfterColon = false;
      this.#places.space = end;
      this.#tokenAt = end + 1;
      this.#cursor = end + 1;
    }
  }

  #release(cut: number): string {
    const piece = this.#text.slice(this.#base, cut).trim();
    this.#released = true;
    this.#cursor = cut;
    this.#beginPiece(cut);
    return piece;
  }

  #beginPiece(at: number): void {
    this.#base = at;
    this.#firstWordAt = NONE;
    this.#textEnd = at;
    this.#tokenAt = NONE;
    this.#previous = 0;
    this.#isAfterColon = false;
    this.#items.clear();
    this.#innerEnd = NONE;
    this.#pending = undefined;
    this.#open.clear();
    this.#places.clear();
    this.#aside.clear();
  }

  /** Reads one character. @returns the position to cut at, or NONE; so do the methods below. */
  #step(code: number, charClass: number, at: number, end: number): number {
    // An aside is short, and its letters are not counted before it closes.
    let cut = this.#aside.isOpen ? NONE : this.#checkLength(at, charClass);
    if (cut !== NONE) return cut;
    if (code === NEWLINE) cut = this.#newline();
    else if (this.#line.read(code, charClass, (charClass & SPACE) !== 0))
      cut = this.#accept(this.#lineBreak, true);
    if (cut !== NONE) return cut;
    if (this.#aside.isOpen) return this.#insideAside(code, charClass, at, end);
    if (charClass & SPACE) return this.#space(at, end);
    cut = this.#read(code, charClass, at, end);
    this.#textEnd = end;
    this.#previous = code;
    return cut;
  }

  /** A cut must leave a word before it; a short piece is kept for the next unless `isForced`. */
  #accept(cut: number, isForced: boolean): number {
    if (cut === NONE || this.#firstWordAt === NONE || this.#firstWordAt >= cut) return NONE;
    return isForced || cut - this.#base >= this.#options.minChars ? cut : NONE;
  }

  #checkLength(at: number, charClass: number): number {
    const length = at - this.#base;
    if (this.#open.isExpired(at)) {
      const cut = this.#accept(this.#open.firstEnd, false);
      this.#open.clear();
      if (cut !== NONE) return cut;
    }
    if (length >= this.#options.firstPieceMaxChars && !this.#released && this.#open.depth === 0) {
      const cut = this.#accept(this.#places.clause, false);
      if (cut !== NONE) return cut;
    }
    // The space right after a text that just fits may end its sentence.
    if (length < this.#options.maxChars || (charClass & SPACE && this.#tokenAt !== NONE)) return NONE;
    const cut = this.#accept(
      charClass & SPACE ? this.#textEnd : this.#places.best(this.#base, this.#options.maxChars),
      true,
    );
    if (cut !== NONE) return cut;
    if (length < 2 * this.#options.maxChars || charClass & EXTENDER) return NONE;
    if (this.#firstWordAt !== NONE) return at;
    // Marks alone without end: nobody hears them, and they must not fill the memory.
    this.#beginPiece(at);
    return NONE;
  }

  #newline(): number {
    const line = this.#line.newline();
    this.#lineBreak = this.#textEnd;
    if (line === "goes-on") return NONE;
    this.#open.clear();
    return this.#accept(this.#textEnd, true);
  }

  #insideAside(code: number, charClass: number, at: number, end: number): number {
    const state = this.#aside.read(code, charClass, at);
    if (state === "refused") {
      this.#cursor = this.#aside.refusedAt;
      return NONE;
    }
    if (state === "closed") {
      if (this.#pending) this.#pending.end = end;
      if (this.#firstWordAt === NONE && this.#aside.hasWord) this.#firstWordAt = at - 1;
    }
    this.#textEnd = end;
    this.#previous = code;
    return NONE;
  }

  #space(at: number, end: number): number {
    const cut = this.#pending ? this.#settle(this.#pending.space()) : NONE;
    if (cut !== NONE) return cut;
    if (this.#tokenAt !== NONE) {
      this.#places.endWord(this.#previous, at, this.#open.depth > 0);
      this.#isAfterColon = this.#previous === COLON;
      this.#tokenAt = NONE;
      this.#open.endWord();
    }
    // White space before a piece is not kept.
    if (this.#textEnd === this.#base) {
      this.#base = end;
      this.#textEnd = end;
    }
    return NONE;
  }

  /** A confirmed end is a cut; inside quotes it is only noted. */
  #settle(outcome: Outcome): number {
    if (outcome === "open") return NONE;
    const { end, depth } = this.#pending!;
    this.#pending = undefined;
    if (outcome === "dropped") return NONE;
    if (depth === 0) return this.#accept(end, false);
    this.#open.noteEnd(end);
    this.#innerEnd = end;
    return NONE;
  }

  #read(code: number, charClass: number, at: number, end: number): number {
    const isAtMark = this.#pending?.isAtMark === true;
    if (this.#aside.opens(code, at, isAtMark)) {
      if (!isAtMark) this.#pending = undefined;
      if (this.#tokenAt === NONE) this.#beginToken(at, charClass);
      return NONE;
    }
    if (this.#pending) {
      const pending = this.#pending;
      const cut = this.#settle(pending.read(code, charClass, end, this.#open));
      if (cut !== NONE || (pending.end === end && isAtMark)) return cut;
    }
    if (this.#tokenAt === NONE) this.#beginToken(at, charClass);
    if (charClass & (LETTER | DIGIT) && this.#firstWordAt === NONE) this.#firstWordAt = at;
    if (charClass & IDEOGRAPH) this.#places.space = at;
    const isAtWordStart = this.#tokenAt === at;
    if (this.#open.read(code, charClass, this.#previous, isAtWordStart, at, this.#firstWordAt !== NONE)) {
      this.#places.bracket = BRACKETS.has(code) ? at : end;
      // French sets a space between the mark and the quote that closes.
      if (SPACED_CLOSERS.has(code) && this.#innerEnd === this.#textEnd) {
        this.#pending = new PendingEnd("strong", "word", "", false, end, this.#open.depth);
        this.#pending.close();
      }
    }
    if (charClass & (LETTER | DIGIT)) return NONE;
    if (WIDE_CLAUSE_MARKS.has(code) && this.#open.depth === 0) this.#places.clause = end;
    return charClass & TERMINAL ? this.#mark(code, end) : NONE;
  }

  #beginToken(at: number, charClass: number): void {
    const isInNumber = charClass & DIGIT && classOf(this.#previous) & DIGIT;
    if (this.#textEnd > this.#base && !isInNumber) this.#places.space = this.#textEnd;
    this.#tokenAt = at;
  }

  /** Makes a pending end of a mark that may end a sentence. */
  #mark(code: number, end: number): number {
    const mark = markKind(code, this.#tokenAt < end - 1 ? this.#previous : 0);
    if (mark === undefined) return NONE;
    const tokenEnd = end - 1;
    const token = this.#text.slice(Math.max(this.#tokenAt, tokenEnd - TOKEN_MAX_CHARS - 1), tokenEnd);
    const isFirst = this.#firstWordAt >= this.#tokenAt;
    const kind = mark === "stop" ? stopKind(token, isFirst, this.#isAfterColon) : markedKind(mark, token);
    if (mark === "stop" && (this.#items.counts(token, kind) || kind === "never")) return NONE;
    this.#pending = new PendingEnd(mark, kind, token, isFirst, end, this.#open.depth);
    return FINAL_MARKS.has(code) && this.#open.depth === 0 ? this.#settle("end") : NONE;
  }
}
