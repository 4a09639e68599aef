import { describe, expect, test } from "vitest";
import { largestJoinStep, levelDb, plainWords, wordErrorRate } from "../../../lib/bench/sound-comparison.ts";

describe("word errors", () => {
  const said = plainWords("The door, it's still Open.");

  test("are counted over words without marks and capitals", () => {
    expect(said).toEqual(["the", "door", "it's", "still", "open"]);
  });

  test.each([
    ["the door it's still open", 0],
    ["the door it's open", 0.2],
    ["the old door it's still open", 0.2],
    ["the floor it's still open", 0.2],
    ["", 1],
  ])("%j: %d", (heard, rate) => {
    expect(wordErrorRate(said, plainWords(heard))).toBeCloseTo(rate);
  });
});

test("level is decibels of full scale", () => {
  expect(levelDb(Float32Array.of(1, -1, 1, -1))).toBeCloseTo(0);
  expect(levelDb(Float32Array.of(0.1, -0.1))).toBeCloseTo(-20);
});

describe("a step at a join", () => {
  const whole = Float32Array.from({ length: 4_000 }, (_, index) => 0.1 * Math.sin(index / 5));

  test("is no larger than in the whole where nothing is broken", () => {
    expect(largestJoinStep(whole, [1_000, 2_000], whole)).toBeLessThanOrEqual(1);
  });

  test("is larger where there is a click, and only near a join", () => {
    const broken = whole.map((sample, index) => (index === 2_000 ? 0.9 : sample));
    expect(largestJoinStep(broken, [2_000], whole)).toBeGreaterThan(10);
    expect(largestJoinStep(broken, [1_000], whole)).toBeLessThanOrEqual(1);
  });

  test("is none without joins", () => {
    expect(largestJoinStep(whole, [], whole)).toBeNull();
  });
});
