import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resample, StreamingResampler } from "../../../lib/audio/resample.ts";

const RATES = [
  [24_000, 8_000],
  [24_000, 16_000],
  [24_000, 48_000],
  [16_000, 24_000],
  [24_000, 24_000],
] as const;

describe("resample", () => {
  test.each(RATES)("%i -> %i Hz gives the same output however the input is cut", (from, to) => {
    fc.assert(
      fc.property(
        fc.float32Array({ min: -1, max: 1, noNaN: true, maxLength: 700 }),
        fc.array(fc.nat(700), { maxLength: 20 }),
        (samples, cuts) => {
          const resampler = new StreamingResampler(from, to);
          const parts = cutAt(samples, cuts).map((part) => resampler.push(part));
          const cut = [...parts, resampler.flush()].flatMap((part) => Array.from(part));
          expect(cut).toEqual(Array.from(resample(samples, from, to)));
          expect(cut).toHaveLength(Math.ceil((samples.length * to) / from));
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each(RATES)("%i -> %i Hz keeps a tone's place, height and pitch", (from, to) => {
    const output = resample(tone(1_000, from, from), from, to);
    // The ends are left out: there the filter also sees the silence around the signal.
    for (let i = to * 0.05; i < to * 0.95; i++) {
      expect(Math.abs(output[i]! - Math.sin((2 * Math.PI * 1_000 * i) / to) * 0.5)).toBeLessThan(2e-4);
    }
  });

  test.each([
    [8_000, 5_000],
    [8_000, 10_000],
    [16_000, 10_000],
  ])("going down to %i Hz leaves nothing of a %i Hz tone that would fold back", (to, pitch) => {
    expect(rms(resample(tone(pitch, 24_000, 24_000), 24_000, to).slice(200, -200))).toBeLessThan(0.5e-4);
  });

  test("going up adds no image above the old band", () => {
    const output = resample(tone(4_000, 24_000, 24_000), 24_000, 48_000).slice(2_000, -2_000);
    let worst = 0;
    output.forEach((sample, i) => {
      worst = Math.max(
        worst,
        Math.abs(sample - Math.sin((2 * Math.PI * 4_000 * (i + 2_000)) / 48_000) * 0.5),
      );
    });
    expect(worst).toBeLessThan(2e-4);
  });

  test("passes a constant unchanged: no hum at the output rate", () => {
    const output = resample(new Float32Array(2_400).fill(0.25), 24_000, 16_000);
    for (let i = 200; i < output.length - 200; i++) expect(output[i]).toBeCloseTo(0.25, 6);
  });

  test("begins anew after flush", () => {
    const resampler = new StreamingResampler(24_000, 8_000);
    const samples = tone(700, 24_000, 1_000);
    const run = () => [...resampler.push(samples), ...resampler.flush()];
    expect(run()).toEqual(run());
  });

  test("hands samples through untouched where the rates are the same", () => {
    const samples = tone(440, 24_000, 10);
    expect(new StreamingResampler(24_000, 24_000).push(samples)).toBe(samples);
  });

  test.each([
    [0, 8_000],
    [24_000, 0],
    [24_000, 8_000.5],
    [Number.NaN, 8_000],
    [24_000, 23_999],
  ])("fails from %d to %d Hz", (from, to) => {
    expect(() => new StreamingResampler(from, to)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
  });
});

function tone(pitchHz: number, rateHz: number, samples: number): Float32Array {
  return new Float32Array(samples).map((_, i) => Math.sin((2 * Math.PI * pitchHz * i) / rateHz) * 0.5);
}

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

function cutAt(samples: Float32Array, cuts: number[]): Float32Array[] {
  const places = [...cuts.map((cut) => Math.min(cut, samples.length)), samples.length].sort((a, b) => a - b);
  return places.map((end, i) => samples.subarray(places[i - 1] ?? 0, end));
}
