/** Telephone numbers, read digit by digit in their groups. Only what is clearly one: a plus, or three groups. */
import type { WordsOf } from "./language-words.ts";
import { digitByDigit } from "./number-words.ts";
import { LEFT, RIGHT, type Rule, rule } from "./rule.ts";

const PARTING = String.raw`[\s.-]`;

export function phoneRules(words: WordsOf): Rule[] {
  const said = (written: string): string => {
    const groups = written.match(/\d+/g) ?? [];
    const head = written.startsWith("+") ? `${words.plus} ` : "";
    return head + groups.map((group) => digitByDigit(words.language, group)).join(", ");
  };
  return [
    // A number in four groups or more is a code: ISBN, account, licence.
    rule(String.raw`${LEFT}(?<!-)\d+(?:-\d+){3,}${RIGHT}(?!-)`, (match) => said(match!)),
    rule(String.raw`(?<=\b(?:[Cc]all|[Dd]ial)(?:ing|ed|ling|led)? )([1-9]11)${RIGHT}`, (match) =>
      digitByDigit(words.language, match!),
    ),
    rule(String.raw`(?<![\p{L}\p{N}])\+\d{1,3}(?:[\s.-]?\(?\d{1,5}\)?){2,6}${RIGHT}`, (match) =>
      said(match!),
    ),
    rule(String.raw`(?<![\p{L}\p{N}_.-])(?:1${PARTING})?\(\d{3}\)\s?\d{3}${PARTING}\d{4}${RIGHT}`, (match) =>
      said(match!),
    ),
    rule(String.raw`${LEFT}(?<!-)(?:1${PARTING})?\d{3}([.-])\d{3}\1\d{4}${RIGHT}`, (match) => said(match!)),
  ];
}
