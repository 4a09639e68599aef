import { describe, expect, it } from "vitest";
import { isSpeechError } from "../../../lib/errors.ts";
import { findVoice, nearestVoices, VOICES } from "../../../lib/kokoro/voices.ts";
import { VOICE_FILES } from "../../../lib/model/catalog.ts";

describe("voices", () => {
  it("are the 54 whose files the catalog has", () => {
    expect(VOICES.map((voice) => voice.name)).toEqual(VOICE_FILES.map((file) => file.name));
    expect(VOICES).toHaveLength(54);
  });

  it.each([
    ["af_heart", "en-us", "female"],
    ["bm_george", "en-gb", "male"],
    ["ef_dora", "es", "female"],
    ["ff_siwis", "fr", "female"],
    ["hm_omega", "hi", "male"],
    ["im_nicola", "it", "male"],
    ["jf_alpha", "ja", "female"],
    ["pm_santa", "pt-br", "male"],
    ["zf_xiaobei", "zh", "female"],
  ])("%s speaks %s and is %s", (name, language, gender) => {
    expect(findVoice(name)).toEqual({ name, language, gender });
  });

  it("fails for a name that is not known and gives the nearest", () => {
    const attempt = (name: string) => {
      try {
        findVoice(name);
      } catch (error) {
        if (isSpeechError(error)) return error;
      }
      throw new Error("must have thrown");
    };
    expect(attempt("af_hart").code).toBe("UNKNOWN_VOICE");
    expect(attempt("af_hart").message).toMatch(/"af_hart" is not known; nearest are af_heart, /);
    expect(attempt("heart").details).toMatchObject({ nearest: expect.arrayContaining(["af_heart"]) });
    expect(attempt("").details).toMatchObject({ nearest: expect.any(Array) });
    // `Object.prototype` has no voice.
    expect(attempt("constructor").code).toBe("UNKNOWN_VOICE");
  });

  it("fails without echoing a long text that came in the wrong field", () => {
    expect(() => findVoice("a secret that somebody wanted to hear said aloud".repeat(50))).toThrow(
      /^voice "[^"]{0,32}"/,
    );
  });

  it.each([
    ["AF_HEART", "af_heart"],
    ["af-heart", "af_heart"],
    ["george", "bm_george"],
    ["zm_yunyan", "zm_yunyang"],
  ])("takes %s for %s", (typed, meant) => expect(nearestVoices(typed)[0]).toBe(meant));
});
