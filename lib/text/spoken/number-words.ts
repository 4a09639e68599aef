/**
 * Numbers as words, by the library n2words (MIT); here is what it does not know: years, decimals, digits one by one,
 * Brazilian spelling, and genders where a language has them.
 */
import * as enGb from "n2words/en-GB";
import * as enUs from "n2words/en-US";
import * as es from "n2words/es-ES";
import * as fr from "n2words/fr-FR";
import * as hi from "n2words/hi-IN";
import * as it from "n2words/it-IT";
import * as pt from "n2words/pt-PT";
import type { Gender, NumberLanguage, WordsOf } from "./language-words.ts";

interface NumberWords {
  readonly cardinal: (digits: string, gender: Gender) => string;
  readonly ordinal: (digits: string, gender: Gender) => string;
}

const toFeminine = (words: string): string => words.replace(/o(?= |$)/g, "a");

const NUMBER_WORDS: Readonly<Record<NumberLanguage, NumberWords>> = {
  "en-us": { cardinal: (digits) => enUs.toCardinal(digits), ordinal: (digits) => enUs.toOrdinal(digits) },
  "en-gb": { cardinal: (digits) => enGb.toCardinal(digits), ordinal: (digits) => enGb.toOrdinal(digits) },
  es: {
    cardinal: (digits, gender) => es.toCardinal(digits, { gender }),
    ordinal: (digits, gender) => es.toOrdinal(digits, { gender }),
  },
  fr: {
    cardinal: (digits, gender) =>
      fr.toCardinal(digits).replace(/\bun$/, gender === "feminine" ? "une" : "un"),
    ordinal: (digits, gender) =>
      fr.toOrdinal(digits).replace(/^premier$/, gender === "feminine" ? "première" : "premier"),
  },
  it: {
    cardinal: (digits) => it.toCardinal(digits),
    ordinal: (digits, gender) =>
      gender === "feminine" ? toFeminine(it.toOrdinal(digits)) : it.toOrdinal(digits),
  },
  "pt-br": {
    cardinal: brazilianCardinal,
    ordinal: (digits, gender) =>
      gender === "feminine" ? toFeminine(pt.toOrdinal(digits)) : pt.toOrdinal(digits),
  },
  hi: { cardinal: (digits) => hi.toCardinal(digits), ordinal: (digits) => hi.toOrdinal(digits) },
};

/** n2words has European Portuguese: another spelling, and a thousand millions where Brazil says a bilhão. */
function brazilianCardinal(digits: string, gender: Gender): string {
  const value = BigInt(digits);
  for (const [scale, one, many] of [
    [1_000_000_000_000n, "trilhão", "trilhões"],
    [1_000_000_000n, "bilhão", "bilhões"],
  ] as const) {
    if (value < scale) continue;
    const rest = value % scale;
    const count = value / scale;
    const head = `${brazilianCardinal(String(count), "masculine")} ${count === 1n ? one : many}`;
    return rest === 0n
      ? head
      : `${head} ${rest <= 100n ? "e " : ""}${brazilianCardinal(String(rest), gender)}`;
  }
  const words = pt
    .toCardinal(digits)
    .replace(/dezasseis/g, "dezesseis")
    .replace(/dezassete/g, "dezessete")
    .replace(/dezanove/g, "dezenove");
  if (gender === "masculine") return words;
  return words
    .replace(/\bum$/, "uma")
    .replace(/\bdois$/, "duas")
    .replace(/entos\b/g, "entas");
}

/** Numbers longer than this are read digit by digit: nobody follows quadrillions. */
const CARDINAL_MAX_DIGITS = 15;

/** @param digits ASCII digits only. A number that begins with 0 is a code and read digit by digit. */
export function cardinal(language: NumberLanguage, digits: string, gender: Gender = "masculine"): string {
  if (digits.length > CARDINAL_MAX_DIGITS || (digits.length > 1 && digits.startsWith("0")))
    return digitByDigit(language, digits);
  return NUMBER_WORDS[language].cardinal(digits, gender);
}

/** @param digits of a number above 0. */
export function ordinal(language: NumberLanguage, digits: string, gender: Gender = "masculine"): string {
  const trimmed = digits.replace(/^0+(?=\d)/, "");
  if (trimmed === "0" || trimmed.length > CARDINAL_MAX_DIGITS) return cardinal(language, digits);
  return NUMBER_WORDS[language].ordinal(trimmed, gender);
}

export function digitByDigit(language: NumberLanguage, digits: string): string {
  return Array.from(digits, (digit) => NUMBER_WORDS[language].cardinal(digit, "masculine")).join(" ");
}

/** A year as English says it: nineteen oh five, twenty twenty-four, two thousand nine. */
export function englishYear(language: NumberLanguage, digits: string): string {
  const year = Number(digits);
  if (digits.length !== 4 || year < 1010 || (year >= 2000 && year < 2010)) return cardinal(language, digits);
  const century = cardinal(language, digits.slice(0, 2));
  const rest = year % 100;
  if (rest === 0) return year % 1000 === 0 ? cardinal(language, digits) : `${century} hundred`;
  return rest < 10
    ? `${century} oh ${cardinal(language, String(rest))}`
    : `${century} ${cardinal(language, String(rest))}`;
}

export interface WrittenNumber {
  readonly integer: string;
  /** Digits behind the decimal mark, "" without one. */
  readonly fraction: string;
}

/** @param text digits with thousands and decimal marks in either style; the language settles what is ambiguous. */
export function readNumber(text: string, decimalComma: boolean): WrittenNumber {
  const bare = text.replace(/[\s'’]/gu, "");
  const comma = bare.lastIndexOf(",");
  const dot = bare.lastIndexOf(".");
  let decimalAt = -1;
  if (comma >= 0 && dot >= 0) decimalAt = Math.max(comma, dot);
  else if (comma >= 0) decimalAt = isDecimal(bare, comma, decimalComma) ? comma : -1;
  else if (dot >= 0) decimalAt = isDecimal(bare, dot, !decimalComma) ? dot : -1;
  const integer = (decimalAt < 0 ? bare : bare.slice(0, decimalAt)).replace(/[.,]/g, "");
  return {
    integer: integer === "" ? "0" : integer,
    fraction: decimalAt < 0 ? "" : bare.slice(decimalAt + 1),
  };
}

/** The language's own decimal mark is one; the other is one only where no thousands can be meant. */
function isDecimal(bare: string, at: number, isOwnMark: boolean): boolean {
  const isAlone = bare.indexOf(bare[at]!) === at;
  const looksGrouped = /^\d{1,3}[.,]\d{3}$/.test(bare) && !bare.startsWith("0");
  return isAlone && (isOwnMark || !looksGrouped);
}

/** @param text see readNumber. */
export function numberInWords(words: WordsOf, text: string, gender: Gender = "masculine"): string {
  const { language, decimalComma, point } = words;
  const { integer, fraction } = readNumber(text, decimalComma);
  if (fraction === "") return cardinal(language, integer, gender);
  // ".5" is "point five".
  const whole = /^[.,]/.test(text) ? "" : `${cardinal(language, integer)} `;
  return `${whole}${point} ${fractionInWords(words, fraction)}`;
}

/** English and Hindi say decimals digit by digit, the Romance languages as a number when it is short. */
function fractionInWords({ language, decimalComma }: WordsOf, fraction: string): string {
  if (!decimalComma || fraction.length > 3) return digitByDigit(language, fraction);
  const zeros = /^0*/.exec(fraction)![0];
  const rest = fraction.slice(zeros.length);
  const parts = [
    zeros === "" ? "" : digitByDigit(language, zeros),
    rest === "" ? "" : cardinal(language, rest),
  ];
  return parts.filter((part) => part !== "").join(" ");
}
