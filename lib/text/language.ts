/** Languages of Kokoro's voices. The first letter of a voice's name tells its language (VOICES.md of hexgrad/Kokoro-82M). */
export type LanguageTag = "en-us" | "en-gb" | "es" | "fr" | "hi" | "it" | "ja" | "pt-br" | "zh";

const LANGUAGE_BY_LETTER: Readonly<Record<string, LanguageTag>> = {
  a: "en-us",
  b: "en-gb",
  e: "es",
  f: "fr",
  h: "hi",
  i: "it",
  j: "ja",
  p: "pt-br",
  z: "zh",
};

/** @param voice a name such as `af_heart`; of a name that is none, the default voice's language. */
export function languageOfVoice(voice: string): LanguageTag {
  return LANGUAGE_BY_LETTER[voice[0] ?? ""] ?? "en-us";
}
