/**
 * The first text in a language takes some 50 ms, since a hundred patterns are compiled, once for Latin letters and
 * once for others; later ones take a twentieth of a millisecond. A server pays that while its model loads.
 */
import { setImmediate as nextLoop } from "node:timers/promises";
import type { LanguageTag } from "./language.ts";
import { toSpeakableText } from "./speakable.ts";

const LANGUAGES: readonly LanguageTag[] = ["en-us", "en-gb", "es", "fr", "it", "pt-br", "hi"];
/** Latin letters alone, and others among them: V8 compiles a pattern for each kind of string. */
const TEXTS = ["It is 5 of 10, A and B.", "It is “5” of 10 — A and B."] as const;
/** A pattern is compiled to machine code at its second use. */
const ROUNDS = 2;

/** Gives way to other work between two languages. */
export async function warmUpSpeakableText(): Promise<void> {
  for (const language of LANGUAGES) {
    for (let round = 0; round < ROUNDS; round++) {
      for (const text of TEXTS) toSpeakableText(text, { language });
    }
    await nextLoop();
  }
}
