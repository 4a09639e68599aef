/** What is left of numbers: versions, fractions, ordinals, ranges, arithmetic, and numbers as such. */
import { type Gender, isEnglish, type WordsOf } from "./language-words.ts";
import { isNameLetter, magnitudePattern, magnitudeWord } from "./magnitudes.ts";
import { beforeNoun } from "./money.ts";
import { cardinal, digitByDigit, numberInWords, ordinal } from "./number-words.ts";
import { DASH, LEFT, numberPattern, RIGHT, type Rule, rule, SIGN } from "./rule.ts";
import { UNITS } from "./units.ts";

/** Words that follow a number without being counted by it. */
const NOT_COUNTED = "mil|por|per|que|che|para|con|los|las|del|della|dei|entre|tra|contra|millones|nel";
/** Thousands that look like a version: 1.000.000. */
const NOT_THOUSANDS = String.raw`(?!\d{1,3}(?:\.\d{3})+(?![\d.]))`;

export function plainNumberRules(words: WordsOf): Rule[] {
  const { language, address, minus, to } = words;
  const number = numberPattern(words.decimalComma);
  const said = (digits: string): string => numberInWords(words, digits);
  return [
    rule(String.raw`(?<![\p{L}\p{N}:])::(?=[\da-f])`, () => `${address.colon} ${address.colon} `),
    // 192.168.0.1:8080, v2.0.1, 1.2.3
    rule(
      String.raw`${LEFT}${NOT_THOUSANDS}(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}))?${RIGHT}`,
      (_, groups, port) => {
        const parts = groups!.split(".").map((part) => cardinal(language, part));
        const tail = port === "" ? "" : ` ${address.colon} ${cardinal(language, port!)}`;
        return `${parts.join(` ${address.dot} `)}${tail}`;
      },
    ),
    rule(
      String.raw`(?<![\p{L}\p{N}_.])(v\.?\s?)?${NOT_THOUSANDS}(\d+(?:\.\d+){2,}|(?<=v)\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.?(\d+))?)?${RIGHT}`,
      (_, letter, groups, stage, count) => {
        const point = isEnglish(words) ? words.point : address.dot;
        const parts = groups!.split(".").map((part) => cardinal(language, part));
        const head = letter === "" ? "" : isEnglish(words) ? "version " : letter;
        const name = stage === "rc" ? "release candidate" : stage;
        const tail = name === "" ? "" : ` ${name}${count === "" ? "" : ` ${cardinal(language, count!)}`}`;
        return `${head}${parts.join(` ${point} `)}${tail}`;
      },
    ),
    // "COVID-19": the hyphen parts the number from its word.
    rule(
      String.raw`(?<=\p{L})-(\d+)(?![\p{N}_]|[.,]\p{N})`,
      (_, digits) => ` ${cardinal(language, digits!)}`,
    ),
    // ".5"
    rule(String.raw`(${SIGN})(?<![\p{L}\p{N}.)])(\.\d+)${RIGHT}`, (_, sign, digits) => {
      return `${sign === "" ? "" : `${minus} `}${words.point} ${digitByDigit(language, digits!.slice(1))}`;
    }),
    ...fractionRules(words),
    ...ordinalRules(words),
    // A ratio; what could be a time of day has been read as one.
    rule(
      String.raw`${LEFT}(\d+):(\d+)${RIGHT}`,
      (_, first, second) => `${said(first!)} ${to} ${said(second!)}`,
    ),
    ...arithmeticRules(words),
    rule(`(${SIGN})${LEFT}(${number})${DASH}(${number})${RIGHT}(?!-\\d)`, (_, sign, from, until) => {
      return `${sign === "" ? "" : `${minus} `}${said(from!)} ${to} ${said(until!)}`;
    }),
    ...(language === "es" || language === "it"
      ? [
          rule(String.raw`${LEFT}(\d*1)(?= \p{L}{3,})(?! (?:${NOT_COUNTED})\b)`, (_, digits) =>
            beforeNoun(words, said(digits!)),
          ),
        ]
      : []),
    rule(`(${SIGN})${LEFT}(${number})${magnitudePattern(language)}${RIGHT}`, (_, sign, digits, scale) => {
      if (isNameLetter(digits!, scale!)) return `${said(digits!)} ${scale}`;
      const magnitude = scale === "" ? "" : ` ${magnitudeWord(language, scale!)}`;
      return `${sign === "" ? "" : `${minus} `}${said(digits!)}${magnitude}`;
    }),
  ];
}

const FRACTION_SIGNS: Readonly<Record<string, string>> = {
  "½": "1/2",
  "⅓": "1/3",
  "⅔": "2/3",
  "¼": "1/4",
  "¾": "3/4",
  "⅕": "1/5",
  "⅛": "1/8",
  "⅜": "3/8",
  "⅝": "5/8",
  "⅞": "7/8",
};
const DENOMINATOR_MAX = 20;
/** Of which one takes a part: "3/4 tsp". */
const SHARED_UNITS = "tsp|tbsp|lb|oz|mi|km|kg|L|l";

function fractionRules(words: WordsOf): Rule[] {
  if (!isEnglish(words)) return [];
  const { language } = words;
  const fraction = (over: number, under: number): string | undefined => {
    if (under < 2 || under > DENOMINATOR_MAX || over < 1 || over >= under) return undefined;
    const part = under === 2 ? "half" : under === 4 ? "quarter" : ordinal(language, String(under));
    const parts = over === 1 ? part : under === 2 ? "halves" : `${part}s`;
    return `${cardinal(language, String(over))} ${parts}`;
  };
  return [
    rule(String.raw`\b24/7\b`, () => "twenty-four seven"),
    rule(String.raw`\b9/11\b`, () => "nine eleven"),
    rule(String.raw`\b50[/-]50\b`, () => "fifty-fifty"),
    rule(`${LEFT}([2-9]|10)/10${RIGHT}(?!/)`, (_, over) => `${cardinal(language, over!)} out of ten`),
    rule(String.raw`(?:(\d+)\s?)?([½⅓⅔¼¾⅕⅛⅜⅝⅞])`, (_, whole, sign) => {
      const [over, under] = FRACTION_SIGNS[sign!]!.split("/").map(Number);
      const part = fraction(over!, under!)!;
      return whole === ""
        ? part
        : `${cardinal(language, whole!)} and ${part.replace(/^one /, under === 2 ? "a " : "one ")}`;
    }),
    rule(String.raw`${LEFT}(\d{1,2})/(\d{1,2}) (${SHARED_UNITS})(?![\p{L}\p{N}])`, (_, over, under, unit) => {
      const part = fraction(Number(over), Number(under));
      const one = UNITS[language][unit!]![0];
      return part === undefined ? undefined : `${part} of ${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`;
    }),
    rule(String.raw`${LEFT}(?:(\d+) )?(\d{1,2})/(\d{1,2})${RIGHT}(?!/)`, (_, whole, over, under) => {
      const part = fraction(Number(over), Number(under));
      if (part === undefined) return undefined;
      if (whole === "") return part;
      return `${cardinal(language, whole!)} and ${part.replace(/^one half$/, "a half")}`;
    }),
    rule(String.raw`${LEFT}(\d+)/(\d+)${RIGHT}(?!/)`, (_, over, under) => {
      return `${cardinal(language, over!)} out of ${cardinal(language, under!)}`;
    }),
  ];
}

function ordinalRules(words: WordsOf): Rule[] {
  const { language } = words;
  const said = (digits: string, gender: Gender): string => ordinal(language, digits, gender);
  if (isEnglish(words)) {
    return [
      rule(String.raw`${LEFT}(\d+(?:,\d{3})*)(?:st|nd|rd|th)(?![\p{L}\p{N}])`, (_, digits) =>
        said(digits!.replaceAll(",", ""), "masculine"),
      ),
    ];
  }
  if (language === "fr") {
    return [
      rule(String.raw`${LEFT}(1)(er|re|ère)(?![\p{L}\p{N}])`, (_, digits, end) =>
        said(digits!, end === "er" ? "masculine" : "feminine"),
      ),
      rule(String.raw`${LEFT}(\d+)(?:e|ème|eme|nd|nde)(?![\p{L}\p{N}])`, (_, digits) =>
        said(digits!, "masculine"),
      ),
    ];
  }
  if (language === "hi") return [];
  return [
    rule(String.raw`${LEFT}(\d+)\.?([ºªoa°])(?![\p{L}\p{N}])`, (match, digits, end) => {
      if (/[oa]$/.test(match!) && !/^\d+\.?[oa]$/.test(match!)) return undefined;
      return said(digits!, end === "ª" || end === "a" ? "feminine" : "masculine");
    }),
  ];
}

function arithmeticRules(words: WordsOf): Rule[] {
  const { plus, minus, times, equals } = words;
  return [
    ...(isEnglish(words)
      ? [rule(String.raw`(?<=\p{N})\s?(?:\*\*|\^)\s?(?=\p{N})`, () => " to the power of ")]
      : []),
    rule(String.raw`(?<=\p{N})\s?[*×]\s?(?=\p{N})`, () => ` ${times} `),
    rule(String.raw`(?<=\p{N})\s[+]\s?(?=\p{N})|(?<=\p{N})\+(?=\p{N})`, () => ` ${plus} `),
    rule(String.raw`(?<=\p{N}) − (?=\p{N})`, () => ` ${minus} `),
    rule(String.raw`(?<=[\p{L}\p{N})])\s?=\s?(?=[-−]?[\p{N}(]|\p{L})`, () => ` ${equals} `),
    ...(isEnglish(words)
      ? [
          rule(String.raw`(?<=\p{N}|(?<!\p{L})\p{L}) < (?=\p{N}|\p{L}(?!\p{L}))`, () => " is less than "),
          rule(String.raw`(?<=\p{N}|(?<!\p{L})\p{L}) > (?=\p{N}|\p{L}(?!\p{L}))`, () => " is greater than "),
          rule(String.raw`(?<=\p{L})(?:\^2(?!\p{N})|²)`, () => " squared"),
          rule(String.raw`(?<=\p{L})(?:\^3(?!\p{N})|³)`, () => " cubed"),
          // A way through menus.
          rule(String.raw`(?<=\p{L}) > (?=\p{Lu})`, () => ", "),
          rule(String.raw`(?<=\p{N})\+(?!\p{N})`, () => " plus"),
          rule(String.raw`(?<=\p{N})x\b`, () => " times"),
        ]
      : []),
  ];
}
