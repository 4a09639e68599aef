/** Percent, temperatures, and numbers with a unit: "12.5%", "5-10 %", "-3 °C", "80 km/h", `6'2"`. */
import { isEnglish, type WordsOf } from "./language-words.ts";
import { beforeNoun } from "./money.ts";
import { cardinal, numberInWords, readNumber } from "./number-words.ts";
import { DASH, LEFT, numberPattern, type Rule, rule, SIGN } from "./rule.ts";
import { DEGREES, UNITS } from "./units.ts";

export function measureRules(words: WordsOf): Rule[] {
  const number = numberPattern(words.decimalComma);
  const units = Object.keys(UNITS[words.language])
    .sort((a, b) => b.length - a.length)
    .join("|");
  const [degree, degrees, celsius, fahrenheit] = DEGREES[words.language];
  const signed = (sign: string, amount: string): string =>
    `${sign === "" ? "" : `${words.minus} `}${numberInWords(words, amount)}`;
  const isOne = (amount: string): boolean => {
    const { integer, fraction } = readNumber(amount, words.decimalComma);
    return integer === "1" && fraction === "";
  };
  const temperature = (amount: string, scale: string): string => {
    const name = isOne(amount) ? degree : degrees;
    if (scale === "") return name;
    return `${name} ${scale.toUpperCase() === "C" ? celsius : fahrenheit}`;
  };
  const rest = String.raw`(?![\p{L}\p{N}²³])`;
  return [
    rule(`(${SIGN})${LEFT}(${number})${DASH}(${number})\\s?%`, (_, sign, from, to) => {
      return `${signed(sign!, from!)} ${words.to} ${numberInWords(words, to!)} ${words.percent}`;
    }),
    rule(`(${SIGN})${LEFT}(${number})\\s?[%٪]`, (_, sign, amount) => {
      return `${signed(sign!, amount!)} ${words.percent}`;
    }),
    rule(
      `(${SIGN})${LEFT}(${number})(?:${DASH}|\\s${words.to}\\s)(-?)(${number})\\s?°\\s?([CFcf]?)${rest}`,
      (_, sign, from, signTo, to, scale) =>
        `${signed(sign!, from!)} ${words.to} ${beforeNoun(words, signed(signTo!, to!))} ${temperature(to!, scale!)}`,
    ),
    rule(`(${SIGN})${LEFT}(${number})\\s?(?:°\\s?([CFcf]?)|℃|℉)${rest}`, (match, sign, amount, scale) => {
      const letter = match!.endsWith("℃") ? "C" : match!.endsWith("℉") ? "F" : scale!;
      return `${beforeNoun(words, signed(sign!, amount!))} ${temperature(amount!, letter)}`;
    }),
    ...(isEnglish(words) ? lengthsInFeet(words) : []),
    rule(`(${SIGN})${LEFT}(${number})${DASH}(${number})\\s?(${units})${rest}`, (_, sign, from, to, unit) => {
      return `${signed(sign!, from!)} ${words.to} ${numberInWords(words, to!)} ${UNITS[words.language][unit!]![1]}`;
    }),
    rule(`(${SIGN})${LEFT}(${number})[\\s-]?(${units})${rest}`, (match, sign, amount, unit) => {
      // "the 5 s in it", "4 m": a bare letter after a space is a unit only where it is common.
      if (/\s[VW]$/.test(match!) || /-[a-zA-Z]$/.test(match!)) return undefined;
      const [one, many] = UNITS[words.language][unit!]!;
      // "a 5-km walk": before a noun a unit stays singular.
      if (isEnglish(words) && match!.includes(`${amount}-${unit}`)) return `${signed(sign!, amount!)}-${one}`;
      return `${beforeNoun(words, signed(sign!, amount!))} ${isOne(amount!) ? one : many}`;
    }),
  ];
}

/** `6'2"`; inches alone only before a word that says so, since the sign is a quote as well. */
function lengthsInFeet({ language }: WordsOf): Rule[] {
  return [
    rule(`${LEFT}(\\d)['′](1[01]|\\d)(?:["″]|'')`, (_, feet, inches) => {
      return `${cardinal(language, feet!)} foot ${cardinal(language, inches!)}`;
    }),
    rule(`${LEFT}(\\d+)(?:″|"(?=\\s(?:wide|tall|long|deep|thick|high|by|x)\\b))`, (_, inches) => {
      return `${cardinal(language, inches!)} ${inches === "1" ? "inch" : "inches"}`;
    }),
  ];
}
