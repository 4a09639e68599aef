import { expect, test } from "vitest";
import { containerTable } from "../../../cli/speech-bench/container-run.ts";

test("shows each figure on a line of its own, aligned, with a dash for what is not known", () => {
  const summary = { median: 0.42, min: 0.4, max: 0.5 };
  const busy = { samples: 60, medianMs: 1.84, p95Ms: 6.81, maxMs: null };
  expect(
    containerTable({
      rtf: summary,
      paragraph: { firstByteMs: { median: 900, min: 890, max: 950 }, wholeMs: null, share: null },
      busy: { sessions: 3, ping: busy, accept: busy },
      residentMiB: [{ utterances: 10, residentMiB: 731 }],
    }),
  ).toEqual([
    "RTF, whole sentences        0.42 (0.40-0.50)",
    "paragraph: first byte (ms)  900 (890-950)",
    "paragraph: last byte (ms)   -",
    "/ping while busy (ms)       median 1.8, p95 6.8, worst - of 60",
    "accept while busy (ms)      median 1.8, p95 6.8, worst - of 60",
    "memory after 10 (MiB)       731",
  ]);
});
