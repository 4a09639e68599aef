/** Signs that are words when said: hash tags, handles, ampersands, section signs, arrows. */
import { isEnglish, type WordsOf } from "./language-words.ts";
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
    rule(String.raw`\bc\. (?=1\d{3})`, () => "circa "),
    rule(String.raw`(?<![\p{L}\p{N}])(\p{Lu}{1,3})&(\p{Lu}{1,3})(?![\p{L}\p{N}])`, (_, first, second) => {
      return `${letters(first!)} and ${letters(second!)}`;
    }),
    rule(String.raw`(?<=\b(?:Ctrl|Cmd|Alt|Shift|Option|Command|Control))\+(?=\p{L})`, () => " "),
    rule(
      String.raw`(?<=\p{N})(?:/|\sper\s)(month|mo|year|yr|week|day|night|hour|hr|person|user|seat)(?!\p{L})`,
      (_, unit) => {
        return ` per ${SHORT_UNITS[unit!] ?? unit}`;
      },
    ),
    rule(String.raw`(?<=[\p{L}\p{N}])@(?=[\p{L}\p{N}])`, () => " at "),
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

const SHORT_UNITS: Readonly<Record<string, string>> = { mo: "month", yr: "year", hr: "hour" };

/** AT: A.T., but R alone as it is. */
function letters(word: string): string {
  return word.length === 1 ? word : `${Array.from(word).join(".")}.`;
}

/** #BlackLivesMatter: a word begins at a capital or a digit. */
function tagInWords(tag: string): string {
  return tag
    .replaceAll("_", " ")
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .trim();
}
