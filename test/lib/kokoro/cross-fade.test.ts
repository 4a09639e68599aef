import { describe, expect, it } from "vitest";
import { FADE_SAMPLES, fadeOver } from "../../../lib/kokoro/cross-fade.ts";

const largestJump = (samples: readonly number[]) =>
  samples.slice(1).reduce((most, sample, index) => Math.max(most, Math.abs(sample - samples[index]!)), 0);

describe("cross-fade", () => {
  it("changes nothing where both windows agree", () => {
    const tone = Float32Array.from({ length: 600 }, (_, index) => Math.sin(index / 20));
    const faded = tone.slice();
    fadeOver(tone.subarray(0, FADE_SAMPLES), faded);
    faded.forEach((sample, index) => void expect(sample).toBeCloseTo(tone[index]!, 6));
  });

  it("makes a slope of a step: no jump at the join, none at the end of the fade", () => {
    const next = new Float32Array(600).fill(-1);
    fadeOver(new Float32Array(FADE_SAMPLES).fill(1), next);
    const joined = [1, 1, ...next];
    expect(largestJump(joined)).toBeLessThan(2.1 / FADE_SAMPLES);
    expect(joined.at(-1)).toBe(-1);
  });

  it("leaves a window without one before it as it is", () => {
    const first = Float32Array.of(1, 2, 3);
    fadeOver(new Float32Array(0), first);
    expect([...first]).toEqual([1, 2, 3]);
  });
});
