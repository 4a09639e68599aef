/** Money: "$5.50", "1.299,50 €", "R$ 10", "USD 3 million", "$5-10", "50¢". */
import { CURRENCIES, CURRENCY_CODES, CURRENCY_SIGNS, type CurrencyNames } from "./currencies.ts";
import { isEnglish, type WordsOf } from "./language-words.ts";
import { magnitudePattern, magnitudeWord } from "./magnitudes.ts";
import { cardinal, numberInWords, readNumber } from "./number-words.ts";
import { DASH, LEFT, numberPattern, RIGHT, type Rule, rule } from "./rule.ts";

const escaped = (sign: string): string => sign.replace(/\$/g, "\\$");
const SIGNS = CURRENCY_SIGNS.map(([sign]) => escaped(sign)).join("|");
const CODES = CURRENCY_CODES.join("|");
const CODE_OF = new Map<string, string>([
  ...CURRENCY_SIGNS,
  ...CURRENCY_CODES.map((code) => [code, code] as const),
]);
/** Before the sign; a letter there would make it another one. */
const BEFORE = String.raw`(?<![\p{L}\p{N}_$])`;

export function moneyRules(words: WordsOf): Rule[] {
  const number = numberPattern(words.decimalComma);
  const magnitude = magnitudePattern(words.language);
  const minus = String.raw`([-−]\s?)?`;
  const said = (sign: string, written: string, amount: string, scale: string): string | undefined => {
    const names = CURRENCIES[words.language][CODE_OF.get(sign)!];
    if (names === undefined) return undefined;
    return `${written === "" ? "" : `${words.minus} `}${amountInWords(words, amount, scale, names)}`;
  };
  const range = (sign: string, from: string, to: string, scale: string): string | undefined => {
    const names = CURRENCIES[words.language][CODE_OF.get(sign)!];
    if (names === undefined) return undefined;
    const { fraction } = readNumber(from, words.decimalComma);
    const first = fraction === "" ? numberInWords(words, from) : amountInWords(words, from, "", names);
    return `${first} ${words.to} ${amountInWords(words, to, scale, names)}`;
  };
  return [
    rule(
      `${BEFORE}(${SIGNS})\\s?(${number})${DASH}(?:${SIGNS})?(${number})${magnitude}${RIGHT}`,
      (_, sign, from, to, scale) => range(sign!, from!, to!, scale!),
    ),
    rule(`${LEFT}(${number})${DASH}(${number})${magnitude}\\s?(${SIGNS}|${CODES})${RIGHT}`, (...match) =>
      range(match[4]!, match[1]!, match[2]!, match[3]!),
    ),
    ...(isEnglish(words) ? [priceAsAdjective(words)] : []),
    rule(
      `(?:(?<=^|[\\s(])${minus}|${BEFORE})(${SIGNS}|(?:${CODES})\\s)\\s?(${number})${magnitude}(?:\\s(?:${CODES}))?${RIGHT}`,
      (_, negative, sign, amount, scale) => said(sign!.trim(), negative!, amount!, scale!),
    ),
    rule(
      `(?:(?<=^|[\\s(])${minus})?${LEFT}(${number})${magnitude}\\s?(${SIGNS}|${CODES})${RIGHT}`,
      (_, negative, amount, scale, sign) => said(sign!, negative!, amount!, scale!),
    ),
    rule(`${LEFT}(\\d+)\\s?¢`, (_, cents) => {
      const [one, many] = CURRENCIES[words.language].USD!.cent!;
      return `${cardinal(words.language, cents!)} ${cents === "1" ? one : many}`;
    }),
  ];
}

/** "a $5 bill" is a five-dollar bill. */
function priceAsAdjective(words: WordsOf): Rule {
  return rule(
    `(?<=\\b[Aa]n? )(${SIGNS})(\\d+)(?= \\p{Ll}{3,})(?! (?:for|per|and|off|each|from|more|less)\\b)`,
    (_, sign, amount) => {
      const names = CURRENCIES[words.language][CODE_OF.get(sign!)!];
      return names && `${cardinal(words.language, amount!)}-${names.one}`;
    },
  );
}

function amountInWords(words: WordsOf, amount: string, scale: string, names: CurrencyNames): string {
  const { language, decimalComma, and, of } = words;
  if (scale !== "") {
    const word = magnitudeWord(language, scale);
    // "dos millones DE euros", but "dos mil euros".
    const joined = of === "" || /^(mil|mille|mila)$/.test(word) ? "" : ofBefore(words, names.many);
    return `${numberInWords(words, amount)} ${word} ${joined}${names.many}`;
  }
  const { integer, fraction } = readNumber(amount, decimalComma);
  const cents = fraction.length > 2 ? undefined : fraction.padEnd(2, "0").replace(/^0(?=\d)/, "");
  if (cents === undefined || (names.cent === undefined && cents !== "0")) {
    return `${numberInWords(words, amount)} ${names.many}`;
  }
  const whole = `${count(words, integer, names.isFeminine === true)} ${ofMillions(words, integer, names.many)}${integer === "1" ? names.one : names.many}`;
  if (cents === "0") return whole;
  const hundredths = `${count(words, cents, false)} ${cents === "1" ? names.cent![0] : names.cent![1]}`;
  return integer === "0" ? hundredths : `${whole} ${and} ${hundredths}`;
}

/** "un millón de euros": a round million takes the word, "un millón cien euros" does not. */
function ofMillions(words: WordsOf, integer: string, noun: string): string {
  return words.of !== "" && /[1-9]\d*0{6}$/.test(integer) ? ofBefore(words, noun) : "";
}

/** French shortens "de" before a vowel: "millions d'euros". */
function ofBefore({ language, of }: WordsOf, noun: string): string {
  return language === "fr" && /^[aeiou]/.test(noun) ? "d'" : `${of} `;
}

function count(words: WordsOf, digits: string, isFeminine: boolean): string {
  const said = cardinal(words.language, digits, isFeminine ? "feminine" : "masculine");
  return beforeNoun(words, said);
}

/** Spanish and Italian shorten "uno" before what it counts. */
export function beforeNoun({ language }: WordsOf, said: string): string {
  if (language === "es") return said.replace(/veintiuno$/, "veintiún").replace(/\buno$/, "un");
  return language === "it" ? said.replace(/^uno$/, "un") : said;
}
