/**
 * Lines: which of them are headings, list items, table rows or code fences. Those begin a piece of their own,
 * whatever mark the line before ends with; any other line simply goes on with the one before.
 */
import { classOf, EMOJI, UPPER } from "./characters.ts";

export type LineKind = "plain" | "item" | "heading" | "row" | "fence";

/** No start of a line needs more characters than this to be told. */
const LINE_START_MAX_CHARS = 8;

export class LineTracker {
  #kind: LineKind = "plain";
  #kindBefore: LineKind = "plain";
  #isEmpty = true;
  #isIndented = false;
  /** The line's first characters, as long as its kind is open. */
  #start: string | undefined = "";

  /** What kind of line this is has been seen. */
  get isTold(): boolean {
    return this.#start === undefined;
  }

  reset(): void {
    this.#kind = "plain";
    this.#kindBefore = "plain";
    this.#begin();
    // The begin of a text is no blank line.
    this.#isEmpty = false;
  }

  /** @returns true when the line that ends here ends its piece: a heading, a row, a fence, or a blank line. */
  newline(): "blank" | "ends-piece" | "goes-on" {
    if (this.#isEmpty) {
      this.#kind = "plain";
      this.#kindBefore = "plain";
      this.#begin();
      return "blank";
    }
    this.#kindBefore = this.#kind;
    this.#kind = "plain";
    this.#begin();
    return this.#kindBefore === "plain" || this.#kindBefore === "item" ? "goes-on" : "ends-piece";
  }

  /** @returns true when this character shows that the line begins a piece of its own. */
  read(code: number, charClass: number, isSpace: boolean): boolean {
    if (!isSpace) this.#isEmpty = false;
    if (this.#start === undefined) return false;
    if (isSpace && this.#start === "") {
      this.#isIndented = true;
      return false;
    }
    const isFirst = this.#start === "";
    const start = this.#start + String.fromCodePoint(code);
    const kind = lineKind(start);
    this.#start = kind === undefined && start.length < LINE_START_MAX_CHARS ? start : undefined;
    if (kind !== undefined) this.#kind = kind;
    if (kind !== undefined && kind !== "plain") return true;
    // Text that stands under a list, not in it.
    return isFirst && this.#kindBefore === "item" && !this.#isIndented && (charClass & UPPER) !== 0;
  }

  #begin(): void {
    this.#isEmpty = true;
    this.#isIndented = false;
    this.#start = "";
  }
}

/** @param start what is known of the line after its indent. Undefined: more characters are needed. */
export function lineKind(start: string): LineKind | undefined {
  // Most lines: a word.
  if (start.length === 2 && isPlainLetter(start, 0) && isPlainLetter(start, 1)) return "plain";
  const first = start[0]!;
  if (first === "|") return "row";
  if ("•‣◦▪".includes(first)) return "item";
  if (classOf(start.codePointAt(0)!) & EMOJI) return "item";
  if (first === "#") return told(start, /^#{1,6}$/, /^#{1,6}\s/, "heading");
  if (first === "`") return told(start, /^`{1,2}$/, /^```/, "fence");
  if (first === "~") return told(start, /^~{1,2}$/, /^~~~/, "fence");
  if ("-+*–—".includes(first)) return told(start, /^.$/, /^.\s/, "item");
  return told(start, /^(\d{1,3}|\d{1,3}[.)]|[a-zA-Z]|[a-zA-Z]\))$/, /^(\d{1,3}[.)]|[a-zA-Z]\))\s/, "item");
}

function isPlainLetter(text: string, index: number): boolean {
  const unit = text.charCodeAt(index) | 0x20;
  return unit >= 0x61 && unit <= 0x7a;
}

function told(start: string, unfinished: RegExp, whole: RegExp, kind: LineKind): LineKind | undefined {
  if (whole.test(start)) return kind;
  return unfinished.test(start) ? undefined : "plain";
}
