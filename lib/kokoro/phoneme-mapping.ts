/**
 * From eSpeak's IPA to the symbols of Kokoro's vocabulary.
 *
 * English keeps eSpeak's IPA but for a few symbols, as kokoro.js does (kokoro.js/src/phonemize.js of
 * github.com/hexgrad/kokoro, Apache-2.0). The front end that the model was trained with, misaki, folds length
 * marks and diphthongs into symbols of its own; that was tried over eSpeak's phonemes and heard less well:
 * word error rate of pocketsphinx over 20 sentences 0.089 against 0.059 (af_heart) and 0.097 against 0.076
 * (am_michael), DNSMOS the same. Other languages follow misaki (misaki/espeak.py 0.9.4, EspeakG2P,
 * Apache-2.0), rewritten over eSpeak's phoneme units: its `_` separator says what misaki reads from the tie `^`.
 */
import type { LanguageTag } from "../text/language.ts";

type Rules = readonly (readonly [from: string, to: string])[];

/** Applied within one phoneme unit, in order. */
const ENGLISH: Rules = [
  ["r", "ɹ"],
  ["x", "k"],
  ["ɬ", "l"],
  ["ʲ", "j"],
];
/** Capitals are Kokoro's letters for diphthongs (vocabulary.ts). */
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
  const rules = language === "en-us" || language === "en-gb" ? ENGLISH : OTHER;
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
