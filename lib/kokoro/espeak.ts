/**
 * eSpeak NG as WebAssembly: text of one language in, its phonemes out. It is asked for phonemes only, not for
 * sound, which is what makes it fast (docs/adr/0008). Not safe for use by two threads: one instance a thread.
 *
 * eSpeak NG is GPL-3.0-or-later and a replaceable part: nothing outside this file knows its API.
 */
import createModule, { type EspeakModule, type EspeakWorker } from "@echogarden/espeak-ng-emscripten";
import { SpeechError } from "../errors.ts";
import type { LanguageTag } from "../text/language.ts";

/** eSpeak's names. `en-gb` alone does not exist there; `en-gb-x-rp` is what Kokoro's British voices speak. */
const ESPEAK_VOICE: Readonly<Partial<Record<LanguageTag, string>>> = {
  "en-us": "en-us",
  "en-gb": "en-gb-x-rp",
  es: "es",
  fr: "fr",
  hi: "hi",
  it: "it",
  "pt-br": "pt-br",
};

export class Espeak {
  readonly #module: EspeakModule;
  readonly #worker: EspeakWorker;
  #language: LanguageTag | undefined;

  private constructor(module: EspeakModule) {
    this.#module = module;
    this.#worker = new module.eSpeakNGWorker();
  }

  /** Loads the WebAssembly and the dictionaries of every language (24 MB). */
  static async load(): Promise<Espeak> {
    return new Espeak(await createModule());
  }

  /**
   * IPA as eSpeak writes it: `_` between phonemes, so that `t_ʃ` and `tʃ` differ; spaces between words; ` | `
   * between clauses; `(xx)` where it changes language. Punctuation is lost.
   */
  phonemesOf(text: string, language: LanguageTag): string {
    this.#setLanguage(language);
    // A NUL would end the C string early and so lose the rest of the text.
    const { ptr } = this.#worker.convert_to_phonemes(text.replaceAll("\0", " "), true);
    try {
      const heap = this.#module.HEAPU8; // read anew each time: growing memory replaces it
      return UTF8.decode(heap.subarray(ptr, heap.indexOf(0, ptr)));
    } finally {
      // The wrapper neither frees the string nor forgets its pointer object: 150 bytes of heap lost a call.
      this.#module._free(ptr);
      delete this.#module.getCache(this.#module.VoidPtr)[ptr];
    }
  }

  #setLanguage(language: LanguageTag): void {
    if (language === this.#language) return;
    const voice = ESPEAK_VOICE[language];
    if (voice === undefined || this.#worker.set_voice(voice) !== 0) {
      throw new SpeechError(
        "LANGUAGE_NOT_SUPPORTED",
        `there are no pronunciation rules for language ${language}`,
      );
    }
    this.#language = language;
  }
}

const UTF8 = new TextDecoder();
