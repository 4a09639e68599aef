/**
 * A user's own words: what is written to what is said, as text ("SQL" -> "sequel") or as phonemes between slashes
 * ("Nguyen" -> "/wˈɪn/"). An entry in small letters fits any case, another only its own. Whole words; the longest
 * entry wins.
 */
import { SpeechError } from "../errors.ts";

export type Lexicon = Readonly<Record<string, string>>;

/** It travels with every request. */
export const LEXICON_MAX_ENTRIES = 500;
export const LEXICON_ENTRY_MAX_CHARS = 200;

/** @throws {SpeechError} CONFIGURATION that names the entry. */
export function readLexicon(value: unknown, name: string): Lexicon {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SpeechError(
      "CONFIGURATION",
      `${name} must be a JSON object of words and what is said for them, as in {"SQL": "sequel", "Nguyen": "/wˈɪn/"}`,
    );
  }
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > LEXICON_MAX_ENTRIES) {
    throw new SpeechError(
      "CONFIGURATION",
      `${name} must have at most ${LEXICON_MAX_ENTRIES} words, got ${entries.length}`,
    );
  }
  for (const [word, said] of entries) {
    const isFine =
      word.trim() !== "" &&
      word.length <= LEXICON_ENTRY_MAX_CHARS &&
      typeof said === "string" &&
      said.length <= LEXICON_ENTRY_MAX_CHARS;
    if (isFine) continue;
    throw new SpeechError(
      "CONFIGURATION",
      `${name}: entry ${entries.findIndex(([other]) => other === word) + 1} must be a word and a string, each of at most ${LEXICON_ENTRY_MAX_CHARS} characters; phonemes stand between slashes`,
    );
  }
  return value as Lexicon;
}

export interface LexiconMatcher {
  readonly pattern: RegExp;
  /** What is said for a match: text, or a pronunciation mark (speech-marks.ts). */
  readonly say: (written: string) => string;
}

const matchers = new WeakMap<Lexicon, LexiconMatcher>();

/** undefined for a lexicon without entries. */
export function lexiconMatcher(lexicon: Lexicon): LexiconMatcher | undefined {
  const known = matchers.get(lexicon);
  if (known !== undefined) return known;
  const words = Object.keys(lexicon).sort((a, b) => b.length - a.length);
  if (words.length === 0) return undefined;
  const exact = new Map(Object.entries(lexicon));
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}_])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{M}\\p{N}_])`,
    "giu",
  );
  const matcher: LexiconMatcher = {
    pattern,
    say: (written) => {
      const said = exact.get(written) ?? exact.get(written.toLowerCase());
      if (said === undefined) return written;
      const phonemes = /^\/([^/()]+)\/$/.exec(said)?.[1];
      return phonemes === undefined ? said : `[${written}](/${phonemes}/)`;
    },
  };
  matchers.set(lexicon, matcher);
  return matcher;
}

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
