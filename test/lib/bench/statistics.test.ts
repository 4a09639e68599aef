import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { median, pairedDifference, spread, summarize } from "../../../lib/bench/statistics.ts";

describe("median", () => {
  it.each([
    [[], null],
    [[7], 7],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9], 9.5],
    [[100, 20, 3], 20], // by value, not by the digits
  ])("of %j is %j", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("leaves the caller's array as it was", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("summarize", () => {
  it("leaves runs without a value out", () => {
    expect(summarize([null, 4, 2, null, 9])).toEqual({ median: 4, min: 2, max: 9 });
    expect(summarize([null, null])).toBeNull();
    expect(summarize([])).toBeNull();
  });

  it("keeps a zero", () => {
    expect(summarize([0, 0, 3])).toEqual({ median: 0, min: 0, max: 3 });
  });

  it("has its median between its extremes", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const { min, median: middle, max } = summarize(values)!;
        return min <= middle && middle <= max;
      }),
    );
  });
});

describe("spread", () => {
  it("is a share of the median", () => {
    expect(spread({ median: 100, min: 90, max: 120 })).toBeCloseTo(0.3);
    expect(spread({ median: 0, min: 0, max: 5 })).toBeNull();
  });
});

describe("a paired difference", () => {
  const values = Array.from({ length: 24 }, (_, index) => (index % 5) - 2);

  it("has its mean inside its interval, which is the same each time", () => {
    const found = pairedDifference(values)!;
    expect(found.low).toBeLessThan(found.mean);
    expect(found.high).toBeGreaterThan(found.mean);
    expect(pairedDifference(values)).toEqual(found);
  });

  it("has the interval that the normal distribution gives for many like values", () => {
    const { mean, low, high } = pairedDifference(Array.from({ length: 400 }, (_, index) => index % 2))!;
    expect(mean).toBe(0.5);
    expect(low).toBeCloseTo(0.5 - (1.96 * 0.5) / 20, 1);
    expect(high).toBeCloseTo(0.5 + (1.96 * 0.5) / 20, 1);
  });

  it("is none of no values", () => {
    expect(pairedDifference([])).toBeNull();
  });
});
