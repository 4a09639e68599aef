/** Signs that are words when said: hash tags, handles, ampersands, section signs, arrows. */
import { isEnglish } from "./calendar.ts";
import type { WordsOf } from "./language-words.ts";
import { type Rule, rule } from "./rule.ts";

/** Before numbers are read. */
export function signRules(words: WordsOf): Rule[] {
  const english: Rule[] = [
    rule(String.raw`(?<![\p{L}\p{N}])#(?=\d)`, () => "number "),
    rule(String.raw`(?<![\p{L}\p{N}])#([\p{L}][\p{L}\p{N}_]*)`, (_, tag) => `hashtag ${tagInWords(tag!)}`),
    rule(String.raw`(?<![\p{L}\p{N}])C#(?![\p{L}\p{N}])`, () => "C sharp"),
    rule(String.raw`(?<![\p{L}\p{N}])F#(?![\p{L}\p{N}])`, () => "F sharp"),
    rule(String.raw`(?<![\p{L}\p{N}])C\+\+`, () => "C plus plus"),
    rule(String.raw`\bNo\. (?=\d)`, () => "number "),
    rule(String.raw`\bNos\. (?=\d)`, () => "numbers "),
    rule(String.raw`\b[Ff]igs?\. (?=\d)`, (match) => (match!.startsWith("F") ? "Figure " : "figure ")),
    rule(String.raw`\bpp\. (?=\d)`, () => "pages "),
    rule(String.raw`\bp\. (?=\d)`, () => "page "),
    rule(String.raw`\b([Vv])ol\. (?=\d)`, (_, letter) => `${letter}olume `),
    rule(String.raw`§\s?`, () => "section "),
    rule(String.raw`(?<=\s)w/o(?=\s)`, () => "without"),
    rule(String.raw`(?<=\s)w/(?=\s)`, () => "with"),
    rule(String.raw`(?<![\p{L}\p{N}])@(?=\p{L})`, () => "at "),
    rule(String.raw`(?<=\s)@(?=\s)`, () => "at"),
    rule(String.raw`\s?(?:→|=>|->)\s?`, () => " to "),
    rule(String.raw`(?<=\p{L})[®™©]`, () => ""),
    rule(String.raw`\s?(?:≤|<=)\s?(?=\p{N})`, () => " at most "),
    rule(String.raw`\s?(?:≥|>=)\s?(?=\p{N})`, () => " at least "),
    rule(String.raw`\s?±\s?(?=\p{N})`, () => " plus or minus "),
    rule(String.raw`(?:≈|(?<![\p{L}\p{N}])~)\s?(?=[$€£\p{N}])`, () => "about "),
  ];
  return [
    ...(isEnglish(words) ? english : []),
    rule(String.raw`\s&\s`, () => ` ${words.and} `),
    rule(String.raw`(?<=\p{L})&(?=\p{L})`, () => ` ${words.and} `),
  ];
}

/** #BlackLivesMatter: a word begins at a capital or a digit. */
function tagInWords(tag: string): string {
  return tag
    .replaceAll("_", " ")
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .trim();
}
