import { describe, expect, it } from "vitest";
import { DemoProgress } from "../../../cli/agent-infra/demo-progress.ts";
import { Output } from "../../../cli/output.ts";
import type { TurnMetrics } from "../../../lib/bench/metrics.ts";
import { MemoryStream } from "../../helpers/memory-stream.ts";

const METRICS: TurnMetrics = {
  firstTextMs: 500,
  firstAudioMs: 890,
  stallMs: 0,
  stalls: 0,
  endMs: 11_210,
  audioSeconds: 22,
  chunks: 31,
};

function progress(isTTY: boolean) {
  const stderr = new MemoryStream({ isTTY });
  const clock = { ms: 0 };
  const output = new Output({ stdout: new MemoryStream(), stderr, json: false, nowMs: () => clock.ms });
  return { stderr, clock, progress: new DemoProgress(output, { runs: 3, modes: ["bidi", "batch"] }) };
}
const trialOf = (metrics: Partial<TurnMetrics>) => ({
  events: [],
  sampleRateHz: 24_000,
  metrics: { ...METRICS, ...metrics },
});

describe("DemoProgress", () => {
  it("keeps a line of each turn, aligned, in a log", () => {
    const { stderr, progress: told } = progress(false);
    told.begin("Ready.");
    told.finished({ mode: "bidi", run: 1, order: 0 }, trialOf({}));
    told.finished({ mode: "batch", run: 2, order: 1 }, trialOf({ stallMs: 120.4 }));
    told.finished({ mode: "batch", run: 3, order: 2 }, trialOf({ firstAudioMs: null }));
    expect(stderr.text.split("\n")).toEqual([
      "Ready.",
      "Asking the same prompt in bidi, batch: 3 turns each, one to warm up.",
      "run 1 of 3  bidi   first audio   0.89 s  end  11.21 s",
      "run 2 of 3  batch  first audio   0.89 s  end  11.21 s  stalls 120 ms",
      "run 3 of 3  batch  no audio  end  11.21 s",
      "",
    ]);
  });

  it("shows what has come so far in a terminal", () => {
    const { stderr, clock, progress: told } = progress(true);
    const watch = told.watch({ mode: "bidi", run: 1, order: 0 });
    clock.ms = 1_000;
    watch({ type: "text_delta", atMs: 1, chars: 40 });
    clock.ms = 2_000;
    watch({ type: "audio_chunk", atMs: 2, samples: 36_000 });
    expect(stderr.text).toMatch(/run 1 of 3 {2}bidi {3}40 characters written, 1\.5 s of speech received$/);
  });
});
