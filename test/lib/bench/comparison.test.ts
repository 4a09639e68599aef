import { describe, expect, it } from "vitest";
import { compareModes, turnOrder } from "../../../lib/bench/comparison.ts";
import { fakeAgent, spokenTurn } from "../../helpers/fake-agent.ts";

const never = new AbortController().signal;

describe("turnOrder", () => {
  it("lets every mode be first, second and last once", () => {
    const modes = ["bidi", "batch-stream", "batch"] as const;
    const order = turnOrder(modes, 3);
    expect(order.map(({ mode }) => mode)).toEqual([
      "bidi",
      "batch-stream",
      "batch",
      "batch-stream",
      "batch",
      "bidi",
      "batch",
      "bidi",
      "batch-stream",
    ]);
    expect(order.map(({ order: place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const mode of modes) {
      expect(order.filter((turn) => turn.mode === mode).map(({ run }) => run)).toEqual([1, 2, 3]);
    }
  });

  it("does with one mode and one run", () => {
    expect(turnOrder(["batch"], 1)).toEqual([{ mode: "batch", run: 1, order: 0 }]);
  });
});

describe("compareModes", () => {
  it("asks a short prompt first, whose turn is not counted, then the same prompt in each mode", async () => {
    const { ask, asked } = fakeAgent(({ mode }, call) => spokenTurn(mode!, call * 10_000, 500 + call));
    const trials = await compareModes({
      ask,
      prompt: "Why?",
      voice: "bf_emma",
      modes: ["bidi", "batch"],
      runs: 2,
      signal: never,
    });
    expect(asked.map(({ mode }) => mode)).toEqual(["bidi", "bidi", "batch", "batch", "bidi"]);
    expect(asked.map(({ prompt }) => prompt)).toEqual(["Hello.", "Why?", "Why?", "Why?", "Why?"]);
    expect(asked.every((payload) => payload.voice === "bf_emma" && !("endpoint" in payload))).toBe(true);
    expect(trials.map(({ mode, run }) => `${mode} ${run}`)).toEqual([
      "bidi 1",
      "batch 1",
      "batch 2",
      "bidi 2",
    ]);
    expect(trials.map(({ trial }) => trial.metrics.firstAudioMs)).toEqual([501, 502, 503, 504]);
  });

  it("tells each turn to who listens, the first as run 0", async () => {
    const heard: string[] = [];
    const { ask } = fakeAgent(({ mode }) => spokenTurn(mode!, 0, 500));
    await compareModes({
      ask,
      prompt: "Why?",
      modes: ["bidi"],
      runs: 1,
      signal: never,
      listen: ({ run }) => ({ onAudio: () => void heard.push(`audio of run ${run}`) }),
      onTrial: ({ run }) => void heard.push(`run ${run} ended`),
    });
    expect(heard).toEqual(["audio of run 0", "audio of run 1", "run 1 ended"]);
  });

  it("stops at the first turn that fails", async () => {
    const { ask, asked } = fakeAgent(({ mode }, call) =>
      spokenTurn(mode!, 0, 500).slice(0, call === 1 ? 2 : 9),
    );
    const compared = compareModes({ ask, prompt: "x", modes: ["bidi", "batch"], runs: 3, signal: never });
    await expect(compared).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(asked).toHaveLength(2);
  });
});
