import { describe, expect, it } from "vitest";
import { silence, toSpokenParts } from "../../../lib/kokoro/spoken-parts.ts";
import { toTokenIds } from "../../../lib/kokoro/vocabulary.ts";
import type { SpeechSpan } from "../../../lib/text/speech-marks.ts";

/** Reads every letter as itself. */
const spell = (spans: readonly SpeechSpan[]) =>
  spans
    .map((span) => (span.kind === "text" ? span.text : span.kind === "phonemes" ? span.phonemes : ""))
    .join("");

describe("toSpokenParts", () => {
  it("reads what stands between pauses as one", () => {
    expect(toSpokenParts("ab [c](/d/) e [pause:500ms] f [pause:1s]", spell)).toEqual([
      toTokenIds("ab d e"),
      { pauseMs: 500 },
      toTokenIds("f"),
      { pauseMs: 1000 },
    ]);
  });

  it("keeps a pause on its own, drops one of no length, and has nothing for nothing", () => {
    expect(toSpokenParts("[pause:20ms]", spell)).toEqual([{ pauseMs: 20 }]);
    expect(toSpokenParts("[pause:0ms]", spell)).toEqual([]);
    expect(toSpokenParts("", spell)).toEqual([]);
  });
});

describe("silence", () => {
  it("is exact to the sample", () => {
    expect(silence(500)).toEqual(new Float32Array(12_000));
    expect(silence(0.05)).toHaveLength(1);
  });
});
