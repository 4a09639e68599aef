import { expect, test } from "vitest";
import { type QualityClip, qualityReport } from "../../../lib/bench/quality-trial.ts";

const heard = (dnsmos: number) => ({ wer: 0, dnsmos, plcmos: 4.5, levelDb: -20 });
const clip = (whole: number, windows: number, joinStep: number | null): QualityClip => ({
  words: 5,
  whole: heard(whole),
  windows: heard(windows),
  joins: joinStep === null ? 0 : 2,
  joinStep,
});

test("windows are held against the whole clip by clip", () => {
  const report = qualityReport([clip(3, 2.9, 0.2), clip(4, 3.7, null), clip(3.5, 3.3, 0.4)]);
  expect(report.whole.dnsmos!.median).toBe(3.5);
  expect(report.difference.dnsmos!.mean).toBeCloseTo(-0.2);
  expect(report.difference.dnsmos!.low).toBeGreaterThanOrEqual(-0.3 - 1e-9);
  expect(report.difference.dnsmos!.high).toBeLessThanOrEqual(-0.1 + 1e-9);
  expect(report.difference.wer).toEqual({ mean: 0, low: 0, high: 0, pairs: 3 });
  expect(report.joinStep!.median).toBeCloseTo(0.3);
});
