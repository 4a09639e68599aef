import { describe, expect, it } from "vitest";
import { createLog } from "../../../container/agent/log.ts";
import type { TurnEvent, TurnRequest } from "../../../container/agent/turn.ts";
import { TurnCancelled, TurnRunner } from "../../../container/agent/turn-runner.ts";
import { VoiceAgents } from "../../../container/agent/voice-agents.ts";
import { SpeechError } from "../../../lib/errors.ts";
import { AGENT_MODES } from "../../../lib/protocol/agent-events.ts";
import { FakeModel } from "./fake-model.ts";
import { FakeSpeech } from "./fake-speech.ts";
import { collect, REQUEST, shorthand } from "./turn-over-fakes.ts";

const never = new Promise<never>(() => {});

function runnerOver(model: FakeModel, speech = new FakeSpeech()) {
  const lines: Record<string, unknown>[] = [];
  const runner = new TurnRunner({
    agents: new VoiceAgents({ model, systemPrompt: "", sessionsMax: 10 }),
    speech,
    toModelFailure: (error) => error,
    log: createLog((line) => lines.push(JSON.parse(line))),
  });
  return { runner, speech, lines };
}

const LIVE = new AbortController().signal;
const requestOf = (changes: Partial<TurnRequest> = {}): TurnRequest => ({ ...REQUEST, ...changes });

describe("TurnRunner", () => {
  it.each(AGENT_MODES)("sends the same kinds of events in mode %s", async (mode) => {
    const { runner, lines } = runnerOver(new FakeModel({ deltas: ["One is here. ", "Two is here."] }));
    const events = await collect(runner.run(requestOf({ mode }), "s", LIVE));
    expect(events[0]).toEqual({ type: "agent_start", request_id: "r1", mode });
    expect(events.find((event) => event.type === "audio_stream_start")).toEqual({
      type: "audio_stream_start",
      format: "pcm16",
      voice: "af_heart",
      sample_rate: 24_000,
    });
    const kinds = shorthand(events).map((kind) => kind.split(":")[0]);
    expect(new Set(kinds)).toEqual(
      new Set(["agent_start", "text", "audio_stream_start", "audio", "audio_stream_end", "agent_end"]),
    );
    expect(kinds.at(-1)).toBe("agent_end");
    expect(lines[0]).toMatchObject({
      event: "turn",
      request_id: "r1",
      mode,
      outcome: "answered",
      text_chars: 25,
    });
    expect(runner.runningTurns).toBe(0);
  });

  it("ends with an error that names the sentence, and with nothing after it", async () => {
    const error = new SpeechError(
      "TRANSPORT_FAILED",
      "the stream ended before sentence 1 of this turn was complete",
    );
    const speech = new FakeSpeech({ failAt: { sentence: 1, error } });
    const model = new FakeModel({
      deltas: ["One is here. Two", " more"],
      pace: (index) => (index === 1 ? never : Promise.resolve()),
    });
    const { runner } = runnerOver(model, speech);
    const events = await collect(runner.run(requestOf(), "s", LIVE));
    expect(events.at(-1)).toEqual({
      type: "error",
      code: "TRANSPORT_FAILED",
      message: "the stream ended before sentence 1 of this turn was complete",
      retryable: true,
      request_id: "r1",
    });
    expect(model.cancelled).toBe(1);
  });

  it("tells nothing of an error that is not ours, and logs no words of it", async () => {
    const { runner, lines } = runnerOver(new FakeModel({ error: new Error("secret words") }));
    const events = await collect(runner.run(requestOf({ prompt: "spoken words" }), "s", LIVE));
    expect(events.at(-1)).toMatchObject({ type: "error", code: "INTERNAL", request_id: "r1" });
    expect(JSON.stringify([events, lines])).not.toMatch(/secret words|spoken words/);
    expect(lines[0]).toMatchObject({ level: "warn", outcome: "failed" });
  });

  it("stops the model and the speaker when the caller leaves, though nobody reads the events", async () => {
    const speech = new FakeSpeech({ beforeAudio: () => never });
    const model = new FakeModel({
      deltas: ["One is here. ", "x"],
      pace: (index) => (index === 1 ? never : Promise.resolve()),
    });
    const { runner, lines } = runnerOver(model, speech);
    const leave = new AbortController();
    const events = runner.run(requestOf(), "s", leave.signal);
    await events.next();
    await events.next();
    // The generator is now suspended, as it is while a write waits for a reader who is gone.
    leave.abort(new Error("left"));
    await runner.drain();
    expect(model.cancelled).toBe(1);
    expect(speech.answers[0]?.destroyed).toBe(leave.signal.reason);
    expect(lines[0]).toMatchObject({ outcome: "cancelled" });
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it("stops everything when the reader of the events goes", async () => {
    const speech = new FakeSpeech({ beforeAudio: () => never });
    const model = new FakeModel({
      deltas: ["One is here. ", "x"],
      pace: (index) => (index === 1 ? never : Promise.resolve()),
    });
    const { runner } = runnerOver(model, speech);
    for await (const event of runner.run(requestOf(), "s", LIVE)) if (event.type === "text_delta") break;
    await runner.drain();
    expect(model.cancelled).toBe(1);
    expect(speech.answers[0]?.destroyed).toBeDefined();
  });

  it("closes a cancelled turn with agent_end, and the session is free by then", async () => {
    const model = new FakeModel(
      { deltas: ["One is here. ", "x"], pace: (index) => (index === 1 ? never : Promise.resolve()) },
      { deltas: ["Yes."] },
    );
    const { runner } = runnerOver(model);
    const cancel = new AbortController();
    const seen: TurnEvent[] = [];
    for await (const event of runner.run(requestOf(), "s", cancel.signal)) {
      seen.push(event);
      if (event.type === "audio_chunk") cancel.abort(new TurnCancelled("cancelled"));
    }
    expect(seen.at(-1)).toEqual({ type: "agent_end", cancelled: true });
    const next = await collect(runner.run(requestOf(), "s", LIVE));
    expect(next.at(-1)).toEqual({ type: "agent_end" });
  });

  it("opens and closes a turn that was cancelled before it began, and asks no model", async () => {
    const model = new FakeModel({ deltas: ["Yes."] });
    const { runner, speech } = runnerOver(model);
    const events = await collect(
      runner.run(requestOf(), "s", AbortSignal.abort(new TurnCancelled("superseded"))),
    );
    expect(shorthand(events)).toEqual(["agent_start", "agent_end"]);
    expect(model.calls).toEqual([]);
    expect(speech.answers).toEqual([]);
  });

  it("makes model and speaker wait for a slow reader", async () => {
    let written = 0;
    const model = new FakeModel({
      deltas: Array.from({ length: 500 }, () => "word "),
      pace: async () => void written++,
    });
    const { runner } = runnerOver(model);
    const events = runner.run(requestOf(), "s", LIVE);
    await events.next();
    await events.next();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(60);
    expect((await collect(events)).at(-1)).toEqual({ type: "agent_end" });
  });

  it("fails new turns while it drains", async () => {
    const { runner } = runnerOver(new FakeModel({ deltas: ["Yes."] }));
    await runner.drain();
    const events = await collect(runner.run(requestOf(), "s", LIVE));
    expect(events.at(-1)).toMatchObject({ type: "error", code: "MODEL_NOT_READY", retryable: true });
  });
});
