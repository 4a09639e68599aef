/**
 * A rule reads one kind of written thing as a person says it. Rules of one language run in the order of
 * spoken-rules.ts over what the earlier ones left; what they write has no digits, so no rule reads it again.
 */
import type { Rewrite } from "../tracked-text.ts";

export interface Rule {
  /** With the flags `g` and `u`. */
  readonly pattern: RegExp;
  readonly speak: Rewrite;
}

/** Not within a word, nor behind the mark of a longer number, date or address. */
export const LEFT = String.raw`(?<![\p{L}\p{N}_]|\p{N}[.,:/])`;
/** Not before the rest of a word or number. */
export const RIGHT = String.raw`(?![\p{L}\p{N}_]|[.,:/]\p{N})`;
/** A sign that belongs to a number: no hyphen of a word, no dash of a range. */
export const SIGN = String.raw`(?:(?<=^|[\s(])[-−])?`;
/**
 * Digits with thousands and decimal marks, either style. No groups. A plain space parts thousands only where the
 * language writes them so: in English it parts two numbers.
 */
export function numberPattern(decimalComma: boolean): string {
  const space = decimalComma ? String.raw`[\u00a0\u202f ]` : String.raw`[\u00a0\u202f]`;
  const grouped = String.raw`(?:,\d{2,3})+(?:\.\d+)?|(?:\.\d{3})+(?:,\d+)?|(?:${space}\d{3})+(?:[.,]\d+)?(?!\d)`;
  // "1 299,50": with its decimal comma it is one number everywhere.
  const spaced = String.raw`(?: \d{3})+,\d{1,2}(?!\d)`;
  return String.raw`(?:\d{1,3}(?:${grouped}|${spaced})|\d+(?:[.,]\d+)?)`;
}
/** Between the ends of a range. */
export const DASH = String.raw`\s?[-–—]\s?`;

export function rule(source: string, speak: Rewrite, flags = "gu"): Rule {
  return { pattern: new RegExp(source, flags), speak };
}
