import { expect, test } from "vitest";
import { engineTable } from "../../../cli/speech-bench/engine-run.ts";

test("shows each engine on a line, and what windows gain below", () => {
  const summary = { median: 0.42, min: 0.4, max: 0.5 };
  const lines = engineTable(
    {
      rounds: 2,
      speakers: [
        {
          name: "ours",
          rtf: summary,
          firstMs: null,
          oursAgainstIt: summary,
          roundSpread: 0.03,
          peakMiB: null,
        },
      ],
      firstSoundShare: summary,
      firstSoundShareOf100Chars: 0.2,
      windowsTotal: null,
      phonemesMs: { samples: 3, medianMs: 1.24, p95Ms: 9, maxMs: 9 },
      clips: [],
    },
    1_234,
  );
  expect(lines.slice(0, 2)).toEqual([
    "      RTF               first sound (ms)  ours against it   memory (MiB)  noise",
    "ours  0.42 (0.40-0.50)  -                 0.42 (0.40-0.50)  -             3 %",
  ]);
  expect(lines.slice(5)).toEqual([
    "first sound with windows, share of the whole  0.42 (0.40-0.50)",
    "  of a text of 100 characters                 0.20",
    "total time with windows, against whole        -",
    "phonemes of a text (ms)                       median 1.2, p95 9.0, worst 9.0 of 3",
    "start from prepared files (ms)                1234",
  ]);
});
