import { describe, expect, it } from "vitest";
import { readBlend } from "../../../lib/kokoro/voice-blend.ts";
import { findVoice } from "../../../lib/kokoro/voices.ts";

describe("a blend of voices", () => {
  it.each([
    ["af_sky", [["af_sky", 1]]],
    ["af_sky(3)", [["af_sky", 1]]],
    [
      "af_bella(2)+af_sky(1)",
      [
        ["af_bella", 2 / 3],
        ["af_sky", 1 / 3],
      ],
    ],
    [
      "af_bella+af_sky",
      [
        ["af_bella", 0.5],
        ["af_sky", 0.5],
      ],
    ],
    [
      "af_bella ( .5 ) + af_sky (1.5)",
      [
        ["af_bella", 0.25],
        ["af_sky", 0.75],
      ],
    ],
  ])("%s has shares that add up to 1", (text, expected) => {
    expect(readBlend(text).map(({ name, share }) => [name, share])).toEqual(expected);
  });

  it.each([
    "af_bella+",
    " af_bella+af_sky",
    "+",
    "af_bella(0)+af_sky",
    "af_bella(-1)+af_sky",
    "af_bella(101)+af_sky",
    "af_bella(x)",
    "af_bella)2(",
    "af_bella+af_bella",
    Array.from({ length: 9 }, (_, index) => `v${index}`).join("+"),
    `${"a".repeat(300)}+af_sky`,
  ])("fails for %s and says how one is written", (text) => {
    expect(() => readBlend(text)).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_VOICE",
        message: expect.stringContaining("af_bella(2)+af_sky(1)"),
      }),
    );
  });

  it("has the language of its voices and the gender of the weightiest", () => {
    expect(findVoice("am_adam(1)+af_sky(2)")).toEqual({
      name: "am_adam(1)+af_sky(2)",
      language: "en-us",
      gender: "female",
    });
  });

  it("fails for a voice that is not known, with the nearest", () => {
    expect(() => findVoice("af_bella(2)+af_skye(1)")).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_VOICE",
        message: expect.stringMatching(/"af_skye".*nearest are af_sky/),
      }),
    );
  });

  it("fails for voices of two languages", () => {
    expect(() => findVoice("af_bella+bf_emma")).toThrow(/one language, got en-us and en-gb/);
  });
});
