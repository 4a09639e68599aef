import { expect, test } from "vitest";
import { engineReport, OURS_WHOLE, OURS_WINDOWS } from "../../../lib/bench/engine-report.ts";
import type { Measurement } from "../../../lib/bench/engine-trial.ts";

const SECOND = 24_000;
const texts = ["Good day.", "x".repeat(98), "y".repeat(300)].map((text) => ({ text, phonemes: "", ids: [] }));

/** Sound of 1, 2 and 3 s; the second round takes a tenth longer. */
function measured(speaker: string, rtf: number, firstShare = 1): Measurement[] {
  return [0, 1].flatMap((round) =>
    [0, 1, 2].map((clip) => {
      const wholeMs = (clip + 1) * 1000 * rtf * (round === 0 ? 1 : 1.1);
      const samples = (clip + 1) * SECOND;
      return { speaker, clip, round, wholeMs, firstMs: wholeMs * firstShare, samples, phonemesMs: null };
    }),
  );
}

const report = engineReport({
  texts,
  speakers: [OURS_WHOLE, OURS_WINDOWS, "peer"].map((name) => ({ name, peakMiB: 700 })),
  rounds: 2,
  measurements: [...measured(OURS_WHOLE, 0.4), ...measured(OURS_WINDOWS, 0.5, 0.2), ...measured("peer", 0.8)],
  phonemesMs: [9, 1, 2],
});

test("RTF is time over sound, each clip by the median of its rounds", () => {
  expect(report.speakers[0]!.rtf!.median).toBeCloseTo(0.42);
  expect(report.speakers[2]!.rtf!.min).toBeCloseTo(0.84);
});

test("ours is held against each, below 1 where we are faster", () => {
  expect(report.speakers.map((speaker) => speaker.oursAgainstIt!.median)).toEqual([
    1,
    expect.closeTo(0.8),
    expect.closeTo(0.5),
  ]);
});

test("first sound and total of windows are shares of the whole's time", () => {
  expect(report.firstSoundShare!.median).toBeCloseTo(0.25);
  expect(report.firstSoundShareOf100Chars).toBeCloseTo(0.25);
  expect(report.windowsTotal!.max).toBeCloseTo(1.25);
});

test("the noise is how far a clip's rounds lie apart", () => {
  expect(report.speakers[0]!.roundSpread).toBeCloseTo(0.1 / 1.05);
});

test("phonemes count the first request", () => {
  expect(report.phonemesMs).toEqual({ samples: 3, medianMs: 2, p95Ms: 9, maxMs: 9 });
});

test("an engine that did not speak has no figures", () => {
  const silent = engineReport({
    texts,
    speakers: [{ name: "peer", peakMiB: null }],
    rounds: 1,
    measurements: [],
    phonemesMs: [],
  });
  expect(silent.speakers[0]).toMatchObject({ rtf: null, oursAgainstIt: null });
  expect(silent.firstSoundShare).toBeNull();
});
