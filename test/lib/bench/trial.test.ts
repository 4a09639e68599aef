import { describe, expect, it } from "vitest";
import { runTrial } from "../../../lib/bench/trial.ts";
import { arrival, audioArrival, fakeAgent, spokenTurn } from "../../helpers/fake-agent.ts";

const never = new AbortController().signal;
const trialOf = (events: ReturnType<typeof spokenTurn>) =>
  runTrial(fakeAgent(() => events).ask, { prompt: "x" }, never);
const start = arrival(1000, { type: "agent_start", request_id: "r", mode: "bidi" });
const end = arrival(1500, { type: "agent_end" });

describe("runTrial", () => {
  it("counts time from the arrival of agent_start, not from the call", async () => {
    const trial = await trialOf(spokenTurn("bidi", 123_456, 900));
    expect(trial.metrics).toMatchObject({ firstTextMs: 100, firstAudioMs: 900, endMs: 960, audioSeconds: 1 });
    expect(trial.events[0]).toEqual({ type: "agent_start", atMs: 0 });
  });

  it("keeps lengths and times, never what was said", async () => {
    const trial = await trialOf(spokenTurn("bidi", 0, 900));
    expect(JSON.stringify(trial)).not.toContain("Words");
    expect(trial.events[1]).toEqual({ type: "text_delta", atMs: 100, chars: 6 });
    expect(trial.events[3]).toEqual({ type: "audio_chunk", atMs: 900, samples: 24_000 });
  });

  it("hands the audio on in order, and waits for its taker", async () => {
    const taken: string[] = [];
    const { ask } = fakeAgent(() => [start, audioArrival(1100, 0.1), audioArrival(1200, 0.2), end]);
    await runTrial(ask, { prompt: "x" }, never, {
      onEvent: ({ type }) => taken.push(type),
      onAudio: async (pcm) => {
        await new Promise((resolve) => setImmediate(resolve));
        taken.push(`${pcm.byteLength} bytes`);
      },
    });
    expect(taken).toEqual([
      "agent_start",
      "audio_chunk",
      "4800 bytes",
      "audio_chunk",
      "9600 bytes",
      "agent_end",
    ]);
  });

  it("fails with the agent's own error", async () => {
    const refused = arrival(1100, { type: "error", message: "no such voice", code: "UNKNOWN_VOICE" });
    await expect(trialOf([start, refused])).rejects.toMatchObject({
      code: "UNKNOWN_VOICE",
      message: "no such voice",
    });
  });

  it("fails when the events stop before agent_end", async () => {
    await expect(trialOf([start, audioArrival(1100, 1)])).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("fails when anything comes before agent_start", async () => {
    await expect(trialOf([audioArrival(1, 1), start, end])).rejects.toMatchObject({
      code: "PROTOCOL_VIOLATION",
    });
  });

  it("passes the reason of its signal on", async () => {
    const reason = new DOMException("interrupted", "AbortError");
    const { ask } = fakeAgent(() => [start, end]);
    await expect(runTrial(ask, { prompt: "x" }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
