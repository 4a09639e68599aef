/**
 * All rules of a language in their order: what has the clearest form first (addresses, dates, money), bare numbers
 * last. English is complete; the Romance languages and Hindi have numbers, money, dates, times, percent and units.
 * Japanese and Mandarin have none: their phonemizer reads numbers in its own way.
 */
import type { LanguageTag } from "../language.ts";
import type { TrackedText } from "../tracked-text.ts";
import { acronymRules } from "./acronyms.ts";
import { addressRules } from "./addresses.ts";
import { dateRules, decadeRules, yearRules } from "./calendar.ts";
import { timeRules } from "./clock-times.ts";
import { isEnglish, LANGUAGE_WORDS, type NumberLanguage, type WordsOf } from "./language-words.ts";
import { measureRules } from "./measures.ts";
import { moneyRules } from "./money.ts";
import { phoneRules } from "./phone-numbers.ts";
import { plainNumberRules } from "./plain-numbers.ts";
import { romanRules } from "./roman-numerals.ts";
import { type Rule, rule } from "./rule.ts";
import { signRules } from "./signs.ts";

const rulesByLanguage = new Map<NumberLanguage, readonly Rule[]>();

function rulesOf(words: WordsOf): readonly Rule[] {
  const known = rulesByLanguage.get(words.language);
  if (known !== undefined) return known;
  const rules = [
    ...addressRules(words),
    ...signRules(words),
    ...phoneRules(words),
    ...dateRules(words),
    ...timeRules(words),
    ...moneyRules(words),
    ...decadeRules(words),
    ...measureRules(words),
    ...yearRules(words),
    ...(isEnglish(words) ? romanRules(words) : []),
    ...plainNumberRules(words),
    // "Mon–Fri", and the ends of a range that are words by now.
    rule(String.raw`(?<=\p{L})–(?=\p{L})`, () => ` ${words.to} `),
    ...(isEnglish(words) ? acronymRules() : []),
  ];
  rulesByLanguage.set(words.language, rules);
  return rules;
}

const DEVANAGARI_ZERO = 0x966;
export const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Rewrites numbers, signs and capitals into words of the language. */
export function speakInWords(text: TrackedText, language: LanguageTag): void {
  const spoken = numberLanguage(text.text, language);
  if (spoken === undefined) return;
  if (spoken === "hi") {
    text.replace(/[०-९]/gu, (digit) => String(digit!.codePointAt(0)! - DEVANAGARI_ZERO));
  }
  for (const { pattern, speak } of rulesOf(LANGUAGE_WORDS[spoken])) text.replace(pattern, speak);
}

/** Japanese and Mandarin voices read Latin text as American English; text of their own is left as it is. */
function numberLanguage(text: string, language: LanguageTag): NumberLanguage | undefined {
  if (language !== "ja" && language !== "zh") return EAST_ASIAN.test(text) ? undefined : language;
  return EAST_ASIAN.test(text) || !/\p{Script=Latin}/u.test(text) ? undefined : "en-us";
}
