import { expect, test } from "vitest";
import { latency } from "../../../lib/bench/container-trial.ts";

test("a latency is the nearest rank of what was seen, not an interpolation", () => {
  const values = Array.from({ length: 20 }, (_, index) => 20 - index);
  expect(latency(values)).toEqual({ samples: 20, medianMs: 10, p95Ms: 19, maxMs: 20 });
});

test("one value is its own median, p95 and worst", () => {
  expect(latency([7])).toEqual({ samples: 1, medianMs: 7, p95Ms: 7, maxMs: 7 });
});

test("no value gives no figure", () => {
  expect(latency([])).toEqual({ samples: 0, medianMs: null, p95Ms: null, maxMs: null });
});
