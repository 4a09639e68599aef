import { expect, test } from "vitest";
import { qualityTable } from "../../../cli/speech-bench/quality-run.ts";
import { qualityReport } from "../../../lib/bench/quality-trial.ts";

const heard = (dnsmos: number) => ({ wer: 0.05, dnsmos, plcmos: 4.5, levelDb: -20 });

test("shows both ways side by side, and what lies between them", () => {
  const clip = { words: 5, whole: heard(3.5), windows: heard(3.4), joins: 1, joinStep: 0.4 };
  expect(qualityTable(qualityReport([clip, clip]))).toEqual([
    "                 whole   windows  difference (95 % interval)",
    "word error rate  0.05    0.05     0.000 (0.000 to 0.000)",
    "DNSMOS, overall  3.50    3.40     -0.100 (-0.100 to -0.100)",
    "PLCMOS           4.50    4.50     0.000 (0.000 to 0.000)",
    "level (dB)       -20.00  -20.00   0.000 (0.000 to 0.000)",
    "",
    "Medians of 2 texts; the difference is windows less whole, the mean of the pairs.",
    "Largest step at a join, over the largest in the whole: 0.40 (0.40-0.40); above 1 would be a click.",
  ]);
});
