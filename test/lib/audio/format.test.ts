import { expect, test } from "vitest";
import { pcm16ToSeconds, samplesToSeconds } from "../../../lib/audio/format.ts";

test("counts seconds from samples and from bytes", () => {
  expect(samplesToSeconds(12_000, 24_000)).toBe(0.5);
  expect(pcm16ToSeconds(48_000, 24_000)).toBe(1);
  expect(pcm16ToSeconds(0, 8_000)).toBe(0);
});
