import { afterEach, describe, expect, it, vi } from "vitest";
import { type ConversationTurn, VoiceAgents } from "../../../container/agent/voice-agents.ts";
import { FakeModel } from "./fake-model.ts";

const SIGNAL = new AbortController().signal;

function agentsOver(
  model: FakeModel,
  options: { sessionsMax?: number; nowMs?: () => number } = {},
): VoiceAgents {
  return new VoiceAgents({ model, systemPrompt: "Be brief.", sessionsMax: 10, ...options });
}

async function ask(agents: VoiceAgents, session: string, prompt: string, signal = SIGNAL): Promise<string> {
  const turn = await agents.begin(session, signal);
  try {
    return await textOf(turn, prompt, signal);
  } finally {
    turn.end();
  }
}

async function textOf(turn: ConversationTurn, prompt: string, signal = SIGNAL): Promise<string> {
  let text = "";
  for await (const delta of turn.answer(prompt, signal)) text += delta;
  return text;
}

describe("VoiceAgents", () => {
  afterEach(() => vi.useRealTimers());

  it("keeps the history within a session and from every other session", async () => {
    const model = new FakeModel({ deltas: ["Well, ", "yes."] });
    const agents = agentsOver(model);
    expect(await ask(agents, "a", "one")).toBe("Well, yes.");
    await ask(agents, "b", "two");
    await ask(agents, "a", "three");
    expect(model.calls).toEqual([
      ["user: one"],
      ["user: two"],
      ["user: one", "assistant: Well, yes.", "user: three"],
    ]);
  });

  it("keeps sessions apart that answer at the same time", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let call = 0;
    const model = new FakeModel({ deltas: ["a", "b"], pace: () => gates[call++ % 2]!.promise });
    const agents = agentsOver(model);
    const answers = [ask(agents, "a", "from a"), ask(agents, "b", "from b")];
    for (const gate of gates) gate.resolve();
    await Promise.all(answers);
    expect(model.calls).toEqual([["user: from a"], ["user: from b"]]);
  });

  it("fails a second prompt of a session that still answers, with what to do", async () => {
    vi.useFakeTimers();
    const agents = agentsOver(new FakeModel({ deltas: ["x"] }));
    const turn = await agents.begin("a", SIGNAL);
    const second = expect(agents.begin("a", SIGNAL)).rejects.toMatchObject({
      code: "QUEUE_SATURATED",
      message: expect.stringContaining("another session id"),
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await second;
    turn.end();
    (await agents.begin("a", SIGNAL)).end();
  });

  it("lets a prompt follow the turn that its caller has just left", async () => {
    const agents = agentsOver(new FakeModel({ deltas: ["x"] }));
    const turn = await agents.begin("a", SIGNAL);
    const second = agents.begin("a", SIGNAL);
    setImmediate(() => turn.end());
    (await second).end();
  });

  it("cancels the model at once when the caller leaves, though the model hangs", async () => {
    const hangs = new Promise<void>(() => {});
    const model = new FakeModel({
      deltas: ["Hm, ", "never"],
      pace: (index) => (index === 1 ? hangs : Promise.resolve()),
    });
    const agents = agentsOver(model);
    const leave = new AbortController();
    const turn = await agents.begin("a", leave.signal);
    const deltas = turn.answer("one", leave.signal);
    expect((await deltas.next()).value).toBe("Hm, ");
    const next = deltas.next();
    leave.abort(new Error("left"));
    await expect(next).rejects.toThrow("left");
    turn.end();
    expect(model.cancelled).toBe(1);
  });

  it("keeps what was said of an interrupted answer, and the next turn works", async () => {
    const leave = new AbortController();
    const model = new FakeModel(
      {
        deltas: ["Once upon ", "a time"],
        pace: async (index) => {
          if (index === 1) leave.abort(new Error("left"));
        },
      },
      { deltas: ["Fine."] },
    );
    const agents = agentsOver(model);
    await expect(ask(agents, "a", "a story", leave.signal)).rejects.toThrow("left");
    await ask(agents, "a", "go on");
    expect(model.calls[1]).toEqual(["user: a story", "assistant: Once upon ", "user: go on"]);
  });

  it("forgets a turn that failed before its first word", async () => {
    const model = new FakeModel({ deltas: ["Yes."] }, { error: new Error("no") }, { deltas: ["Fine."] });
    const agents = agentsOver(model);
    await ask(agents, "a", "one");
    await expect(ask(agents, "a", "two")).rejects.toThrow();
    await ask(agents, "a", "three");
    expect(model.calls[2]).toEqual(["user: one", "assistant: Yes.", "user: three"]);
  });

  it("does not retry a throttled model by itself: a listener waits", async () => {
    const { ModelThrottledError } = await import("@strands-agents/sdk");
    const model = new FakeModel({ error: new ModelThrottledError("slow down") });
    await expect(ask(agentsOver(model), "a", "one")).rejects.toThrow("slow down");
    expect(model.calls).toHaveLength(1);
  });

  it("forgets an answer without a word, which Bedrock would refuse in the history", async () => {
    const model = new FakeModel({ deltas: ["  "] }, { deltas: ["Fine."] });
    const agents = agentsOver(model);
    await ask(agents, "a", "one");
    await ask(agents, "a", "two");
    expect(model.calls[1]).toEqual(["user: two"]);
  });

  it("forgets the longest idle conversation for a new one, never one that answers", async () => {
    const model = new FakeModel({ deltas: ["x"] });
    const agents = agentsOver(model, { sessionsMax: 2 });
    const busy = await agents.begin("busy", SIGNAL);
    await ask(agents, "idle", "one");
    await ask(agents, "new", "two");
    expect(agents.size).toBe(2);
    await ask(agents, "idle", "three");
    expect(model.calls.at(-1)).toEqual(["user: three"]);

    const alsoBusy = await agents.begin("also busy", SIGNAL);
    await expect(agents.begin("one too many", SIGNAL)).rejects.toMatchObject({ code: "QUEUE_SATURATED" });
    busy.end();
    alsoBusy.end();
  });

  it("forgets a conversation that has been idle for a quarter of an hour", async () => {
    let nowMs = 0;
    const agents = agentsOver(new FakeModel({ deltas: ["x"] }), { nowMs: () => nowMs });
    await ask(agents, "a", "one");
    nowMs = 14 * 60_000;
    await ask(agents, "b", "two");
    nowMs = 16 * 60_000;
    await ask(agents, "c", "three");
    expect(agents.size).toBe(2);
  });
});
