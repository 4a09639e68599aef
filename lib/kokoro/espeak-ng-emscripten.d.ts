/** The part of @echogarden/espeak-ng-emscripten 0.3.5 that lib/kokoro/espeak.ts uses; the package has no types. */
declare module "@echogarden/espeak-ng-emscripten" {
  export interface Pointer {
    readonly ptr: number;
  }
  export interface EspeakWorker {
    /** @returns 0, or an error code (2: no such voice). */
    set_voice(identifier: string): number;
    /** eSpeak's espeak_TextToPhonemes over the whole text; the string is the caller's to free. */
    convert_to_phonemes(text: string, useIpa: boolean): Pointer;
  }
  export interface EspeakModule {
    readonly HEAPU8: Uint8Array;
    readonly VoidPtr: unknown;
    readonly eSpeakNGWorker: new () => EspeakWorker;
    getCache(wrapperClass: unknown): Record<number, unknown>;
    _free(address: number): void;
  }
  export default function createModule(): Promise<EspeakModule>;
}
