/**
 * Decides what a mark means from the word before it and, where that is not enough, from the character or the word
 * after it. No state and no text buffer: sentence-chunker.ts asks, this file answers.
 */
import { CLOSING, INNER, NUMBERED, OPEN, STARTERS, TIME_COMPANIONS, TITLES } from "./abbreviations.ts";
import { CURRENCY, DIGIT, LETTER, LOWER } from "./characters.ts";

/**
 * What stands before a full stop.
 * `word` ends a sentence. `never` does not. `number`, `numbered`, `closing` and `open` (abbreviations.ts) are
 * decided by what follows; `initial` is a single letter or dotted letters (J., U.S.) and like `open`.
 */
export type StopKind = "word" | "never" | "number" | "numbered" | "closing" | "open" | "initial";

export type Verdict = "end" | "goes-on" | "read-word";

const kinds = new Map<string, StopKind>();
for (const word of TITLES) kinds.set(word, "never");
for (const word of INNER) kinds.set(word, "never").set(capital(word), "never");
for (const word of NUMBERED) kinds.set(word, "numbered").set(capital(word), "numbered");
for (const word of CLOSING) kinds.set(word, "closing").set(word.toUpperCase(), "closing");
for (const word of OPEN) kinds.set(word, "open");
const starters = new Set(STARTERS);
const timeCompanions = new Set(TIME_COMPANIONS);

/** Longest token that is looked at: a longer one is no abbreviation. */
export const TOKEN_MAX_CHARS = 64;

/**
 * @param token the run of characters without a space that stands before the mark.
 * @param isFirst whether it is the first word of the piece: a number or letter there is an item's own.
 * @param afterColon whether a colon stands before it, as before the first number of a list in a line.
 */
export function stopKind(token: string, isFirst: boolean, afterColon: boolean): StopKind {
  // Most tokens: plain letters, in no list.
  if (isPlainWord(token) && !kinds.has(token)) return "word";
  const word = token.replace(/^[^\p{L}\p{N}$€£¥₹]+/u, "");
  if (word === "" || word.length > TOKEN_MAX_CHARS) return "word";
  const listed = kinds.get(word);
  if (/^\p{N}+$/u.test(word)) return word.length <= 3 && (isFirst || afterColon) ? "never" : "number";
  if (/^\p{N}[\p{N}.,:]*$/u.test(word)) return "number";
  if (listed !== undefined) return listed;
  // "5 s.", "2 m.": a unit; a single capital is an initial.
  if (/^\p{Ll}$/u.test(word) && !isFirst) return "closing";
  if (/^\p{L}\p{M}*$/u.test(word)) return isFirst ? "never" : isIdeograph(word) ? "word" : "initial";
  if (/^\p{L}\p{M}*(\.-?\p{L}\p{M}*)+$/u.test(word)) return "initial";
  return "word";
}

/** Another mark than a full stop ends a sentence, but in a name written with it: "Yahoo! Inc". */
export function markedKind(mark: string, token: string): StopKind {
  return mark === "strong" && /^(Yahoo|Jeopardy|Yum)$/.test(token) ? "open" : "word";
}

/** True for a token that is no word but an address, a path or code; a mark inside it ends nothing. */
export function isAddress(token: string): boolean {
  return /[/\\@=_&#]|:\/\/|^www\./i.test(token);
}

/**
 * After the mark, closing quotes and spaces: the first character that counts.
 * @param digits how many digits stand before the mark, for a `number`.
 */
export function verdictByChar(kind: StopKind, code: number, charClass: number, digits: number): Verdict {
  if (charClass & LOWER) return "goes-on";
  if (charClass & DIGIT) {
    if (kind === "word") return "end";
    return kind === "number" && digits > 2 ? "end" : "goes-on";
  }
  if (charClass & LETTER) return kind === "word" || kind === "number" ? "end" : "read-word";
  return CURRENCY.has(code) && (kind === "word" || kind === "number") ? "end" : "goes-on";
}

/**
 * The word after an abbreviation decides.
 * @param next the character after that word, or "" at the end.
 */
export function verdictByWord(kind: StopKind, word: string, next: string): Verdict {
  // An initial follows: "J. A. Smith".
  if (next === "." && word.length === 1) return "goes-on";
  if (kind === "numbered") return /^[IVXLC]+$/.test(word) && word !== "I" ? "goes-on" : "end";
  if (kind === "closing") return timeCompanions.has(word) ? "goes-on" : "end";
  return isStarter(word) || !/\p{Lu}|\p{Lt}/u.test(word) ? "end" : "goes-on";
}

/** A full stop between words without a space: "one.Two" ends a sentence, "System.Text" and "ASP.NET" do not. */
export function verdictGlued(before: string, isFirst: boolean, word: string, next: string): Verdict {
  if (/[^\s,;:!?'’)"”.]/u.test(next)) return "goes-on";
  if (!/^\p{Lu}\p{Ll}*$/u.test(word)) return "goes-on";
  if (/^\p{Ll}{2,}$/u.test(before)) return "end";
  return isFirst && /^\p{Lu}\p{Ll}+$/u.test(before) && isStarter(word) ? "end" : "goes-on";
}

function isPlainWord(token: string): boolean {
  for (let index = 0; index < token.length; index++) {
    const unit = token.charCodeAt(index) | SMALL;
    if (unit < SMALL_A || unit > SMALL_Z) return false;
  }
  return token.length > 1 && token.length <= TOKEN_MAX_CHARS;
}
const SMALL = 0x20;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

function isStarter(word: string): boolean {
  return starters.has(word) || starters.has(word.split(/['’]/u)[0]!);
}

function isIdeograph(word: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
