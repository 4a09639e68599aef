/** Dates in English and in the other languages: "2024-05-12", "12/05/2024", "May 5th, 2024", "5. Mai" is left. */
import { isEnglish, type WordsOf } from "./language-words.ts";
import { cardinal, englishYear, ordinal } from "./number-words.ts";
import { DASH, LEFT, RIGHT, type Rule, rule } from "./rule.ts";

const SHORT_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sept Sep Oct Nov Dec".split(" ");
const YEAR = String.raw`(?:1[1-9]|20|21)\d\d`;

export function dateRules(words: WordsOf): Rule[] {
  return [...numericDates(words), ...(isEnglish(words) ? englishDates(words) : [])];
}

function numericDates(words: WordsOf): Rule[] {
  const monthFirst = words.language === "en-us";
  return [
    rule(
      `${LEFT}(\\d{4})[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\\d|3[01])(?=T\\d\\d:|${RIGHT})`,
      (_, year, month, day) => dateInWords(words, day!, Number(month), year!),
    ),
    rule(`${LEFT}(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4})${RIGHT}`, (_, first, mark, second, year) => {
      // Dots stand between a day and a month in that order wherever they are used.
      const isMonthFirst = mark === "." ? Number(second) > 12 : monthFirst !== Number(second) > 12;
      const swapped = isMonthFirst && Number(first) <= 12 ? true : Number(second) > 12;
      const [day, month] = swapped ? [second!, first!] : [first!, second!];
      const isDate = Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12;
      return isDate ? dateInWords(words, day, Number(month), year!) : undefined;
    }),
  ];
}

/** @param month from 1. */
function dateInWords(words: WordsOf, day: string, month: number, year: string): string {
  const { language, months, of } = words;
  const name = months[month - 1]!;
  if (language === "en-us") return `${name} ${ordinal(language, day)}, ${englishYear(language, year)}`;
  if (language === "en-gb") return `the ${ordinal(language, day)} of ${name}, ${englishYear(language, year)}`;
  const digits = day.replace(/^0/, "");
  const isFirstSpecial = digits === "1" && (language === "fr" || language === "it" || language === "pt-br");
  const said = isFirstSpecial ? ordinal(language, "1") : cardinal(language, digits);
  const joint = language === "es" || language === "pt-br" ? ` ${of} ` : " ";
  return `${said}${joint}${name}${joint}${cardinal(language, year)}`;
}

function englishDates(words: WordsOf): Rule[] {
  const { language, months } = words;
  const fullName = (written: string): string =>
    months.find((month) => month.startsWith(written.slice(0, 3))) ?? written;
  const month = `(${[...months, ...SHORT_MONTHS.map((name) => `${name}\\.?`)].join("|")})`;
  const day = String.raw`(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
  const year = (digits: string): string => (digits === "" ? "" : `, ${englishYear(language, digits)}`);
  const dayFirst = (digits: string, name: string, isAfterThe: boolean): string =>
    `${isAfterThe ? "" : "the "}${ordinal(language, digits)} of ${fullName(name)}`;
  return [
    rule(`\\b${month} ${day}${DASH}${day}(?:,? (${YEAR}))?${RIGHT}`, (_, name, from, to, digits) => {
      return `${fullName(name!)} ${ordinal(language, from!)} to ${ordinal(language, to!)}${year(digits!)}`;
    }),
    rule(`\\b${month} ${day}(?:,? (${YEAR}))?${RIGHT}(?!:\\d)`, (_, name, digits, years) => {
      return `${fullName(name!)} ${ordinal(language, digits!)}${year(years!)}`;
    }),
    rule(
      `${LEFT}([Tt]he )?${day}(?: of)? ${month}(?:,? (${YEAR}))?${RIGHT}`,
      (match, the, digits, name, years) => {
        // "in 5 May" hardly, "10 March"es never: a month that is also a word needs its own name after the day.
        if (/^\d/.test(match!) && /^(May|Mar)$/.test(name!) && years === "" && name === "Mar")
          return undefined;
        return `${the}${dayFirst(digits!, name!, the !== "")}${year(years!)}`;
      },
    ),
    rule(`\\b${month},? (${YEAR})${RIGHT}`, (_, name, digits) => {
      return `${fullName(name!)} ${englishYear(language, digits!)}`;
    }),
  ];
}

/** "the 1990s", "the '80s". English. */
export function decadeRules(words: WordsOf): Rule[] {
  if (!isEnglish(words)) return [];
  const { language } = words;
  return [
    rule(`${LEFT}((?:1[1-9]|20)\\d0)['’]?s(?![\\p{L}\\p{N}])`, (_, decade) =>
      pluralOf(englishYear(language, decade!)),
    ),
    rule(`(?<![\\p{L}\\p{N}])['’]?([2-9]0)['’]?s(?![\\p{L}\\p{N}])`, (_, decade) =>
      pluralOf(cardinal(language, decade!)),
    ),
  ];
}

/** English years; other languages say a year as any number. */
export function yearRules(words: WordsOf): Rule[] {
  if (!isEnglish(words)) return [];
  const { language } = words;
  const before =
    "in|since|by|from|until|till|of|year|before|after|during|around|circa|early|late|mid|summer|winter|spring|autumn|fall|back in|between|and";
  return [
    rule(`${LEFT}(${YEAR})${DASH}(${YEAR})${RIGHT}`, (_, from, to) => {
      return `${englishYear(language, from!)} to ${englishYear(language, to!)}`;
    }),
    rule(
      `(?<=\\b(?:${before}) )((?:1\\d|20|21)\\d\\d)${RIGHT}(?! (?:people|percent|dollars|miles|men|women|items|times|users|lines|words|steps)\\b)`,
      (_, year) => englishYear(language, year!),
      "giu",
    ),
    // A bare 1950 is a year unless something is counted: "1950 apples".
    rule(
      `${LEFT}((?:19|20)\\d\\d)${RIGHT}(?! (?!is\\b|was\\b|has\\b|as\\b|its\\b|this\\b)\\p{Ll}+s\\b| people\\b)`,
      (_, year) => englishYear(language, year!),
    ),
  ];
}

/** nineteen nineties, twenties, two thousands. */
function pluralOf(words: string): string {
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`;
}
