/**
 * What is said of a finished sentence: markdown off, numbers and signs as words, the writer's marks kept. Runs on
 * whole pieces, so that a mark cut across two fragments never leaks. What it gives, it gives back unchanged.
 *
 * Marks (speech-marks.ts) and what a lexicon says are final: they stand aside as single private characters while the
 * rules run, and are put back at the end.
 */
import { dropEmoji, nameEmoji } from "./emoji.ts";
import type { LanguageTag } from "./language.ts";
import { type Lexicon, lexiconMatcher } from "./lexicon.ts";
import { removeMarkdown } from "./markdown.ts";
import { SPEECH_MARK } from "./speech-marks.ts";
import { EAST_ASIAN, speakInWords } from "./spoken/spoken-rules.ts";
import { type SourceWord, TrackedText } from "./tracked-text.ts";

export interface SpeakableOptions {
  /** Language of the voice. @default "en-us" */
  readonly language?: LanguageTag | undefined;
  /** false: the words are said as they are written; marks and the lexicon still count. @default true */
  readonly normalize?: boolean | undefined;
  /** @default "drop" */
  readonly emoji?: "name" | "drop" | undefined;
  readonly lexicon?: Lexicon | undefined;
}

export interface SpeakableText {
  /** "" when nothing of it can be heard. */
  readonly text: string;
  /** Each word said, with the part of the original that it says. */
  readonly words: readonly SourceWord[];
}

/** Whether anything in the text can be heard: a letter or a digit. */
export function hasSpeakableText(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The text as it is to be spoken; "" when nothing of it can be heard. */
export function toSpeakableText(text: string, options: SpeakableOptions = {}): string {
  const spoken = rewrite(text, options).text;
  return hasSpeakableText(spoken) ? spoken : "";
}

/** The same, with the way back from each word said to what was written. */
export function mapSpeakableText(text: string, options: SpeakableOptions = {}): SpeakableText {
  const spoken = rewrite(text, options);
  return hasSpeakableText(spoken.text)
    ? { text: spoken.text, words: spoken.words() }
    : { text: "", words: [] };
}

/** Private characters, each for something that stands aside. */
const ASIDE_FIRST = 0xe000;
const ASIDE_COUNT = 0xf8ff - ASIDE_FIRST + 1;
const ASIDE = /[\ue000-\uf8ff]/gu;

function rewrite(written: string, options: SpeakableOptions): TrackedText {
  const { language = "en-us", normalize = true, emoji = "drop", lexicon } = options;
  const aside: string[] = [];
  const setAside = (said: string): string => {
    if (aside.length === ASIDE_COUNT) return said;
    aside.push(said);
    return String.fromCharCode(ASIDE_FIRST + aside.length - 1);
  };
  const text = new TrackedText(written).replace(ASIDE, "").replace(SPEECH_MARK, (mark) => setAside(mark!));
  const matcher = lexicon && lexiconMatcher(lexicon);
  if (matcher) {
    text.replace(matcher.pattern, (word) => {
      const said = matcher.say(word!);
      return said === word ? undefined : setAside(said);
    });
  }
  if (normalize) {
    removeMarkdown(text);
    if (emoji === "name" && language.startsWith("en")) nameEmoji(text);
    else dropEmoji(text);
    plainTypography(text, EAST_ASIAN.test(text.text));
    speakInWords(text, language);
    // Marks parted from their word, and marks before any.
    text.replace(/\s+([,.;:!?…])(?=\s|$)/gu, (_, mark) => mark).replace(/^\s*[,.;:!?…]+(?=\s)/gu, "");
  }
  text.replace(/\s+/gu, " ").replace(/^ | $/g, "");
  return text.replace(ASIDE, (char) => aside[char!.charCodeAt(0) - ASIDE_FIRST]);
}

/** Quotes and dashes in the forms that the rules, the phonemizer and the model know. */
function plainTypography(text: TrackedText, isEastAsian: boolean): void {
  // Without spaces around them the direction of quotes cannot be guessed again.
  if (!isEastAsian) text.replace(/[“”„‟]/g, '"');
  text
    .replace(/[‘’‛ʼ]/g, "'")
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/(?<=\s)(?:--+|–)(?=\s)|(?<=\p{L})(?:--+)(?=\p{L})/gu, "—")
    .replace(/\u00ad|\u200b|\ufeff/g, "");
}
