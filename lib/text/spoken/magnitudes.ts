/** "2.5M", "3 billion": words and letters that multiply a number. */
import type { NumberLanguage } from "./language-words.ts";

const EN_LETTERS: Readonly<Record<string, string>> = {
  k: "thousand",
  K: "thousand",
  M: "million",
  mn: "million",
  mln: "million",
  bn: "billion",
  B: "billion",
  T: "trillion",
  tn: "trillion",
};

/** Letters right behind the digits. */
const LETTERS: Readonly<Record<NumberLanguage, Readonly<Record<string, string>>>> = {
  "en-us": EN_LETTERS,
  "en-gb": EN_LETTERS,
  es: { k: "mil", K: "mil", M: "millones" },
  fr: { k: "mille", K: "mille", M: "millions", Md: "milliards" },
  it: { k: "mila", K: "mila", M: "milioni", mln: "milioni", mld: "miliardi" },
  "pt-br": { k: "mil", K: "mil", M: "milhões", mi: "milhões", bi: "bilhões" },
  hi: { K: "हज़ार", M: "मिलियन" },
};

const WORDS: Readonly<Record<NumberLanguage, string>> = {
  "en-us": "thousand|million|billion|trillion",
  "en-gb": "thousand|million|billion|trillion",
  es: "mil millones|mil|millón|millones|billón|billones",
  fr: "mille|millions?|milliards?|billions?",
  it: "mila|milioni|milione|miliardi|miliardo",
  "pt-br": "mil|milhão|milhões|bilhão|bilhões|trilhão|trilhões",
  hi: "हज़ार|लाख|करोड़|अरब",
};

/** One group: the magnitude behind a number, with its space; empty without. */
export function magnitudePattern(language: NumberLanguage): string {
  const letters = Object.keys(LETTERS[language]).sort((a, b) => b.length - a.length);
  return String.raw`((?:\s?(?:${WORDS[language]})|${letters.map(guarded).join("|")}|\s?(?:${letters.join("|")})(?=\s?[€$£]))(?![\p{L}\p{M}\p{N}]))?`;
}

/** "221B Baker Street": no billion. */
function guarded(letter: string): string {
  return letter === "B" || letter === "T" ? String.raw`${letter}(?!\s\p{Lu}\p{Ll})` : letter;
}

/** "4K": a letter that belongs to a name. */
export function isNameLetter(digits: string, letter: string): boolean {
  return /^[48]$/.test(digits) && letter === "K";
}

export function magnitudeWord(language: NumberLanguage, written: string): string {
  const word = written.trim();
  return LETTERS[language][word] ?? word;
}
