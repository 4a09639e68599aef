/**
 * What kind of character a code point is, as far as speech cares. The answers come from Unicode's own properties
 * and are remembered for the basic plane, so that a text is classified by table look-ups.
 */

export const LETTER = 1;
export const UPPER = 2;
export const LOWER = 4;
export const DIGIT = 8;
export const SPACE = 16;
/** Han, kana, bopomofo: written without spaces, so that a cut between two of them breaks no word. */
export const IDEOGRAPH = 32;
/** Belongs to the character before it: combining marks, variation selectors, joiners, skin tones. */
export const EXTENDER = 64;
export const EMOJI = 128;
/** May end a sentence, if what stands around it agrees. */
export const TERMINAL = 256;

const UNKNOWN = -1;
const basicPlane = new Int16Array(0x10000).fill(UNKNOWN);

export function classOf(codePoint: number): number {
  if (codePoint > 0xffff) return classify(codePoint);
  const known = basicPlane[codePoint]!;
  if (known !== UNKNOWN) return known;
  const found = classify(codePoint);
  basicPlane[codePoint] = found;
  return found;
}

// Zero width non-joiner and joiner.
const JOINERS: ReadonlySet<number> = new Set([0x200c, 0x200d]);

function classify(codePoint: number): number {
  const char = String.fromCodePoint(codePoint);
  if (/\s/u.test(char)) return SPACE;
  // Skin tones are pictographs of their own kind; they only ever follow another.
  if (JOINERS.has(codePoint) || /\p{M}|\p{Emoji_Modifier}/u.test(char)) return EXTENDER;
  if (/\p{N}/u.test(char)) return DIGIT;
  if (/\p{L}/u.test(char)) {
    if (/[\p{Lu}\p{Lt}]/u.test(char)) return LETTER | UPPER;
    if (/\p{Ll}/u.test(char)) return LETTER | LOWER;
    return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}ー]/u.test(char)
      ? LETTER | IDEOGRAPH
      : LETTER;
  }
  // Exclamation marks are pictographs as well.
  const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(char) ? EMOJI : 0;
  return TERMINALS.some((marks) => marks.has(codePoint)) ? emoji | TERMINAL : emoji;
}

export const codesOf = (chars: string): ReadonlySet<number> =>
  new Set(Array.from(chars, (char) => char.codePointAt(0)!));

/** Full stops that also stand in numbers, names and abbreviations. */
export const STOPS = codesOf(".．");
/** End a sentence before a space or a capital. */
export const STRONG_MARKS = codesOf("!?؟‼⁇⁈⁉\u037e");
/** End a sentence whatever follows; these scripts set no space after them. */
export const WIDE_MARKS = codesOf("。｡！？।॥։۔።፧፨។။");
/** Wide marks that are not doubled, so that nothing has to be waited for. */
export const FINAL_MARKS = codesOf("。｡।॥։۔።፨។။");
export const ELLIPSES = codesOf("…⋯");
/** Greek asks with what looks like a semicolon. */
const TERMINALS = [STOPS, STRONG_MARKS, WIDE_MARKS, ELLIPSES, codesOf(";")];

/** Opening mark to the marks that close it. Straight quotes and ticks are told apart by what stands around. */
export const OPENERS: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  ["()", "[]", "{}", "（）", "［］", "｛｝", "【】", "〔〕", "〈〉", "《》", "「」", "『』", "〖〗"]
    .concat(["“”", "„“”", "«»", "‹›"])
    .map((pair) => [pair.codePointAt(0)!, codesOf(pair.slice(1))] as const),
);
/** Closing marks that stay with the sentence they end. */
export const CLOSERS = codesOf(")]}）］｝】〕〉》」』〗”’»›\"'");
/** Closing quotes that French parts from their sentence by a space. */
export const SPACED_CLOSERS = codesOf("»›");
/** Brackets as against quotes: a remark put into a sentence, not a sentence quoted. */
export const BRACKETS = codesOf("([{（［｛【〔");
/** Markdown's emphasis and code; they stay with what they enclose. */
export const EMPHASIS = codesOf("*_~`");
export const INVERTED = codesOf("¿¡");
export const CURRENCY = codesOf("$€£¥₹₽₩¢");
export const CLAUSE_MARKS = codesOf(",;:،؛·");
export const WIDE_CLAUSE_MARKS = codesOf("、，；：");
export const DASHES = codesOf("—–");

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
