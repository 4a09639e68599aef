/**
 * From eSpeak's IPA to the phonemes that Kokoro was trained on. The rules are those of misaki, the model's own
 * front end: misaki/espeak.py of version 0.9.4 (Apache-2.0), EspeakFallback for English and EspeakG2P for the
 * rest, rewritten over eSpeak's phoneme units (its `_` separator says what misaki reads from the tie `^`).
 */
import type { LanguageTag } from "./voices.ts";

type Rules = readonly (readonly [from: string, to: string])[];

/** Applied within one unit, in order. Capitals are Kokoro's letters for diphthongs (vocabulary.ts). */
const ENGLISH: Rules = [
  ["aɪ", "I"],
  ["aʊ", "W"],
  ["eɪ", "A"],
  ["ɔɪ", "Y"],
  ["dʒ", "ʤ"],
  ["tʃ", "ʧ"],
  ["əl", "ᵊl"],
  ["ɚ", "əɹ"],
  ["ɐ", "ə"],
  ["r", "ɹ"],
  ["x", "k"],
  ["ç", "k"],
  ["ɬ", "l"],
  ["ʲ", "j"],
  ["\u0303", ""], // nasal vowels of French words
];
const AMERICAN: Rules = [
  ...ENGLISH,
  ["oʊ", "O"],
  ["ɜːɹ", "ɜɹ"],
  ["ɜː", "ɜɹ"],
  ["ɪə", "iə"],
  ["ː", ""],
  ["o", "ɔ"],
  ["e", "A"],
  ["ɾ", "T"],
  ["ʔ", "t"],
];
const BRITISH: Rules = [
  ...ENGLISH,
  ["eə", "ɛː"],
  ["iə", "ɪə"],
  ["əʊ", "Q"],
  ["o", "ɔ"],
  ["e", "A"],
  ["ɾ", "T"],
  ["ʔ", "t"],
];
const OTHER: Rules = [
  ["aɪ", "I"],
  ["aʊ", "W"],
  ["dz", "ʣ"],
  ["dʒ", "ʤ"],
  ["eɪ", "A"],
  ["oʊ", "O"],
  ["əʊ", "Q"],
  ["ss", "S"],
  ["ts", "ʦ"],
  ["tʃ", "ʧ"],
  ["ɔɪ", "Y"],
  ["tɕ", "ʨ"],
  ["dʑ", "ʥ"],
];

/** `n̩`: a consonant that is a syllable; Kokoro writes the vowel before it. */
const SYLLABIC = /(\P{M})\u0329/gu;

/** @param espeakPhonemes one text without punctuation, as lib/kokoro/espeak.ts gives it. */
export function toKokoroPhonemes(espeakPhonemes: string, language: LanguageTag): string {
  const rules = language === "en-us" ? AMERICAN : language === "en-gb" ? BRITISH : OTHER;
  return (
    espeakPhonemes
      // Marks of a change of language, e.g. `(en)`, and of a clause: the caller knows the punctuation.
      .replace(/\([a-z-]+\)/g, "")
      .replaceAll("|", " ")
      .replaceAll("-", "")
      .split(" ")
      .map((word) =>
        word
          .split("_")
          .map((unit) => mapUnit(unit, rules))
          .join(""),
      )
      // `ɚ` before a vowel is followed by an r of its own.
      .map((word) => (rules === OTHER ? word : word.replace(/ɹ+/g, "ɹ")))
      .filter((word) => word !== "")
      .join(" ")
  );
}

function mapUnit(unit: string, rules: Rules): string {
  // Decomposed, because the vocabulary has the tilde as a symbol of its own, but ç as one.
  let mapped = unit.normalize("NFD").replaceAll("c\u0327", "ç");
  for (const [from, to] of rules) mapped = mapped.replaceAll(from, to);
  return mapped.replace(SYLLABIC, "ᵊ$1").replaceAll("g", "ɡ");
}
