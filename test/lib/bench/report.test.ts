import { describe, expect, it } from "vitest";
import { type ComparedTrial, compareModes } from "../../../lib/bench/comparison.ts";
import {
  buildReport,
  type ReportContext,
  reportSchema,
  speedup,
  summaryOf,
  summarySchema,
} from "../../../lib/bench/report.ts";
import type { AgentMode } from "../../../lib/protocol/agent-events.ts";
import { fakeAgent, spokenTurn } from "../../helpers/fake-agent.ts";

const CONTEXT: ReportContext = {
  startedAt: "2026-01-02T03:04:05.000Z",
  setup: {
    agent: "local",
    languageModel: "stand-in",
    speech: "here",
    voice: "af_heart",
    speed: 1,
    promptChars: 4,
    runs: 3,
  },
  files: { report: "report.json" },
  machine: { cpu: "a cpu", cores: 2, memoryGiB: 8, platform: "linux x64" },
  versions: { product: "0.1.0", commit: null, node: "24.0.0", onnxruntime: "1.0.0" },
};

/** First audio of each run of a mode, in milliseconds. */
async function trialsOf(firstAudioMs: Partial<Record<AgentMode, number[]>>): Promise<ComparedTrial[]> {
  const trials: ComparedTrial[] = [];
  for (const [mode, values] of Object.entries(firstAudioMs) as [AgentMode, number[]][]) {
    const { ask } = fakeAgent((_, call) => spokenTurn(mode, 7, values[Math.max(0, call - 1)]!));
    const signal = new AbortController().signal;
    trials.push(...(await compareModes({ ask, prompt: "Why?", modes: [mode], runs: values.length, signal })));
  }
  return trials;
}

describe("buildReport", () => {
  it("gives medians, ranges and every run of each mode", async () => {
    const trials = await trialsOf({ bidi: [900, 1000, 1300], batch: [5000, 4000, 4500] });
    const report = buildReport(trials, ["bidi", "batch"], CONTEXT);
    expect(report.modes.bidi).toMatchObject({ firstTextMs: 100, firstAudioMs: 1000, stallMs: 0, chunks: 1 });
    expect(report.modes.bidi!.ranges.firstAudioMs).toEqual({ median: 1000, min: 900, max: 1300 });
    expect(report.modes.batch!.runs.map((run) => run.firstAudioMs)).toEqual([5000, 4000, 4500]);
    expect(report.bidiSpeedup).toBe(4.5);
    expect(Object.keys(report.modes)).toEqual(["bidi", "batch"]);
  });

  it("keeps the time of every event", async () => {
    const report = buildReport(await trialsOf({ bidi: [900] }), ["bidi"], CONTEXT);
    expect(report.modes.bidi!.runs[0]!.events.map(({ type, atMs }) => `${type} ${atMs}`)).toEqual([
      "agent_start 0",
      "text_delta 100",
      "audio_stream_start 900",
      "audio_chunk 900",
      "audio_stream_end 950",
      "agent_end 960",
    ]);
  });

  it("survives its own schema after a trip through JSON", async () => {
    const report = buildReport(await trialsOf({ bidi: [900], batch: [1800] }), ["bidi", "batch"], CONTEXT);
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  it("has no speed-up without both modes", async () => {
    expect(buildReport(await trialsOf({ bidi: [900] }), ["bidi"], CONTEXT).bidiSpeedup).toBeNull();
  });

  it("rounds what no clock can measure", async () => {
    const report = buildReport(await trialsOf({ bidi: [900.123_456_7] }), ["bidi"], CONTEXT);
    expect(report.modes.bidi!.firstAudioMs).toBe(900.123);
  });
});

describe("summaryOf", () => {
  it("leaves the events out and tells the user's paths", async () => {
    const report = buildReport(await trialsOf({ bidi: [900] }), ["bidi"], CONTEXT);
    const summary = summaryOf(report, { report: "out/demo/report.json" });
    expect(summary.files).toEqual({ report: "out/demo/report.json" });
    expect(summary.modes.bidi!.runs[0]).not.toHaveProperty("events");
    expect(summarySchema.parse(summary)).toEqual(summary);
    expect(Object.keys(summary).sort()).toEqual(["bidiSpeedup", "files", "machine", "modes", "versions"]);
  });
});

describe("speedup", () => {
  it.each([
    [1000, 4000, 4],
    [4000, 1000, 0.25],
    [null, 1000, null],
    [1000, null, null],
    [1000, undefined, null],
    [0, 1000, null],
  ])("of %j against %j is %j", (first, baseline, expected) =>
    expect(speedup(first, baseline)).toBe(expected),
  );
});
