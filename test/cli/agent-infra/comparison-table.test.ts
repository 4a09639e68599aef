import { describe, expect, it } from "vitest";
import { comparisonTable, speedupSentence } from "../../../cli/agent-infra/comparison-table.ts";
import type { ComparisonReport } from "../../../lib/bench/report.ts";

type Mode = NonNullable<ComparisonReport["modes"]["bidi"]>;

function mode(firstAudioMs: [number, number, number] | null): Mode {
  const same = (value: number) => ({ median: value, min: value, max: value });
  const [median, min, max] = firstAudioMs ?? [0, 0, 0];
  return {
    firstTextMs: 500,
    firstAudioMs: firstAudioMs && median,
    stallMs: 0,
    stalls: 0,
    endMs: 9000,
    audioSeconds: 22.4,
    chunks: 31,
    ranges: {
      firstTextMs: { median: 512, min: 500, max: 530 },
      firstAudioMs: firstAudioMs && { median, min, max },
      stallMs: same(0),
      stalls: same(0),
      endMs: same(9000),
      audioSeconds: same(22.4),
      chunks: same(31),
    },
    runs: [],
    sampleRateHz: 24_000,
  };
}

describe("comparisonTable", () => {
  it("is a column a mode and a row a number, median before the extremes", () => {
    expect(comparisonTable({ bidi: mode([890, 870, 930]), batch: mode([3410, 3410, 3410]) })).toEqual([
      "                 bidi              batch",
      "first text (s)   0.51 (0.50-0.53)  0.51 (0.50-0.53)",
      "first audio (s)  0.89 (0.87-0.93)  3.41",
      "stalls (ms)      0                 0",
      "end (s)          9.00              9.00",
      "audio (s)        22.40             22.40",
      "chunks           31                31",
    ]);
  });

  it("fits three modes with slow and scattered runs in 80 columns", () => {
    const slow = mode([23_691, 18_204, 31_002]);
    for (const line of comparisonTable({ bidi: slow, "batch-stream": slow, batch: slow })) {
      expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it("shows a dash where nothing was spoken", () => {
    expect(comparisonTable({ bidi: mode(null) })[2]).toBe("first audio (s)  -");
  });
});

describe("speedupSentence", () => {
  const report = (bidiSpeedup: number | null) => ({ bidiSpeedup }) as ComparisonReport;
  it.each([
    [3.84, "bidi speaks 3.8 times sooner than batch"],
    [1, "bidi speaks 1.0 times sooner than batch"],
    [0.5, "bidi speaks 2.0 times later than batch"],
    [null, undefined],
  ])("for %j", (factor, sentence) => expect(speedupSentence(report(factor))).toBe(sentence));
});
