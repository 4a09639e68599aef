/** Times of day: "10:30", "5pm", "17:00", "10h30", "5.30 p.m.". */
import { isEnglish, type WordsOf } from "./language-words.ts";
import { cardinal } from "./number-words.ts";
import { DASH, LEFT, RIGHT, type Rule, rule } from "./rule.ts";

const HOUR = String.raw`([01]?\d|2[0-3])`;
const MINUTE = String.raw`([0-5]\d)`;
/** "pm", "p.m.", "PM"; its last stop may end the sentence and stays. */
const HALF_DAY = String.raw`([aApP])\.?[mM](?![\p{L}\p{N}])`;

export function timeRules(words: WordsOf): Rule[] {
  return isEnglish(words) ? englishTimes(words) : otherTimes(words);
}

function englishTimes(words: WordsOf): Rule[] {
  const { language } = words;
  const number = (digits: string): string => cardinal(language, digits.replace(/^0(?=\d)/, ""));
  const minutes = (digits: string): string =>
    digits.startsWith("0") ? `oh ${number(digits)}` : number(digits);
  const clock = (hour: string, minute: string): string =>
    minute === "" || minute === "00" ? number(hour) : `${number(hour)} ${minutes(minute)}`;
  const half = (letter: string, rest: string): string => `${letter.toLowerCase()}.m.${rest}`;
  return [
    rule(
      `${LEFT}${HOUR}(?:[:.]${MINUTE})?(?:\\s?${HALF_DAY}\\.?)?${DASH}${HOUR}(?:[:.]${MINUTE})?\\s?${HALF_DAY}\\.?`,
      (_, hour, minute, early, hourTo, minuteTo, late) => {
        const first = `${clock(hour!, minute!)}${early === "" ? "" : ` ${half(early!, "")}`}`;
        return `${first} to ${clock(hourTo!, minuteTo!)} ${half(late!, "")}`;
      },
    ),
    rule(`${LEFT}${HOUR}(?:[:.]${MINUTE})?\\s?${HALF_DAY}\\.?`, (_, hour, minute, letter) => {
      return `${clock(hour!, minute!)} ${half(letter!, "")}`;
    }),
    rule(`${LEFT}${HOUR}:${MINUTE}${DASH}${HOUR}:${MINUTE}${RIGHT}`, (_, hour, minute, hourTo, minuteTo) => {
      return `${wholeClock(hour!, minute!)} to ${wholeClock(hourTo!, minuteTo!)}`;
    }),
    rule(`${LEFT}${HOUR}:${MINUTE}:${MINUTE}${RIGHT}`, (_, hour, minute, second) => {
      return `${clock(hour!, minute!)} and ${number(second!)} seconds`;
    }),
    rule(`${LEFT}${HOUR}:${MINUTE}${RIGHT}`, (_, hour, minute) => wholeClock(hour!, minute!)),
  ];

  function wholeClock(hour: string, minute: string): string {
    if (minute !== "00") return clock(hour, minute);
    return Number(hour) <= 12 && Number(hour) > 0 ? `${number(hour)} o'clock` : `${number(hour)} hundred`;
  }
}

type Clock = (hour: string, minute: string) => string;

function otherTimes(words: WordsOf): Rule[] {
  const { language } = words;
  const number = (digits: string, gender: "masculine" | "feminine" = "masculine"): string =>
    cardinal(language, digits.replace(/^0(?=\d)/, ""), gender);
  const clocks: Partial<Record<typeof language, Clock>> = {
    es: (hour, minute) =>
      minute === "00" ? number(hour, "feminine") : `${number(hour, "feminine")} y ${number(minute)}`,
    fr: (hour, minute) =>
      `${number(hour, "feminine")} ${Number(hour) > 1 ? "heures" : "heure"}${minute === "00" ? "" : ` ${number(minute)}`}`,
    it: (hour, minute) => (minute === "00" ? number(hour) : `${number(hour)} e ${number(minute)}`),
    "pt-br": (hour, minute) => {
      const hours = `${number(hour, "feminine")} ${Number(hour) > 1 ? "horas" : "hora"}`;
      return minute === "00" ? hours : `${hours} e ${number(minute)}`;
    },
    hi: (hour, minute) =>
      minute === "00" ? `${number(hour)} बजे` : `${number(hour)} बजकर ${number(minute)} मिनट`,
  };
  const clock = clocks[language];
  if (clock === undefined) return [];
  return [
    rule(`${LEFT}${HOUR}:${MINUTE}${RIGHT}`, (_, hour, minute) => clock(hour!, minute!)),
    ...(language === "fr" || language === "pt-br"
      ? [rule(`${LEFT}${HOUR}\\s?h\\s?${MINUTE}?${RIGHT}`, (_, hour, minute) => clock(hour!, minute || "00"))]
      : []),
  ];
}
