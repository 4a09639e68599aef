/** The agent as a real process in its true surroundings: what a caller gets on `/invocations` and on `/ws`. */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callAgent } from "../../lib/client/agent-client.ts";
import type { AgentArrival } from "../../lib/client/agent-events.ts";
import { converseEvents, usageOf } from "../../lib/local/bedrock-converse.ts";
import {
  AGENT_MODES,
  type AgentPayloadInput,
  RUNTIME_SESSION_HEADER,
} from "../../lib/protocol/agent-events.ts";
import { openAgentSocket } from "./agent-socket.ts";
import { type AgentSystem, startAgentSystem } from "./agent-system.ts";

const ANSWER =
  "Rain is water that falls. It falls from clouds that grew heavy. Then the sun comes back again.";

let system: AgentSystem;
beforeAll(async () => {
  system = await startAgentSystem({
    bedrock: { answer: ANSWER, firstTokenMs: 20, tokensPerSecond: 40 },
    tts: { msPerAudioSecond: 50 },
  });
});
afterAll(() => system?.stop());

const ask = (payload: AgentPayloadInput, runtimeSessionId?: string) =>
  callAgent(
    { kind: "url", url: system.agentUrl },
    payload,
    runtimeSessionId === undefined ? {} : { runtimeSessionId },
  );

async function collect(arrivals: AsyncIterable<AgentArrival>): Promise<AgentArrival[]> {
  const all: AgentArrival[] = [];
  for await (const arrival of arrivals) all.push(arrival);
  return all;
}

const typesOf = (arrivals: readonly AgentArrival[]) => arrivals.map(({ event }) => event.type);
const textOf = (arrivals: readonly AgentArrival[]) =>
  arrivals.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
const audioBytes = (arrivals: readonly AgentArrival[]) =>
  arrivals.reduce((sum, { audio }) => sum + (audio?.length ?? 0), 0);

describe("POST /invocations", () => {
  it.each(AGENT_MODES)(
    "answers in mode %s with the same kinds of events and the same audio",
    async (mode) => {
      const arrivals = await collect(ask({ prompt: "What is rain?", mode }));
      const types = typesOf(arrivals);
      expect(types[0]).toBe("agent_start");
      expect(types.at(-1)).toBe("agent_end");
      expect(types.at(-2)).toBe("audio_stream_end");
      expect(types.indexOf("audio_stream_start")).toBe(types.indexOf("audio_chunk") - 1);
      expect(textOf(arrivals)).toBe(ANSWER);
      // The fake engine speaks 60 ms a character, and every mode gets the same sentences.
      const seconds = audioBytes(arrivals) / 2 / 24_000;
      expect(seconds).toBeCloseTo((ANSWER.length - 2) * 0.06, 0);
      const start = arrivals.find(({ event }) => event.type === "audio_stream_start");
      expect(start?.event).toMatchObject({ format: "pcm16", voice: "af_heart", sample_rate: 24_000 });
    },
  );

  it("speaks the first sentence before the last word is written, in bidi only", async () => {
    const firstAudioBeforeLastText = async (mode: (typeof AGENT_MODES)[number]) => {
      const types = typesOf(await collect(ask({ prompt: "What is rain?", mode })));
      return types.indexOf("audio_chunk") < types.lastIndexOf("text_delta");
    };
    expect(await firstAudioBeforeLastText("bidi")).toBe(true);
    expect(await firstAudioBeforeLastText("batch-stream")).toBe(false);
    expect(await firstAudioBeforeLastText("batch")).toBe(false);
  });

  it("answers two sessions at once without mixing them", async () => {
    const answers = await Promise.all(
      ["one".padEnd(40, "-"), "two".padEnd(40, "-")].map((session) =>
        collect(ask({ prompt: "What is rain?" }, session)),
      ),
    );
    for (const arrivals of answers) {
      expect(textOf(arrivals)).toBe(ANSWER);
      const seqs = arrivals.flatMap(({ event }) => (event.type === "text_delta" ? event.seq : []));
      expect(seqs).toEqual(seqs.map((_, index) => index));
    }
  });

  it.each([
    ["not JSON", "{", "INVALID_REQUEST", "valid JSON"],
    ["no object", '"hi"', "INVALID_REQUEST", "JSON object"],
    ["no prompt", "{}", "INVALID_REQUEST", "prompt"],
    ["an empty prompt", '{"prompt": "  "}', "INVALID_REQUEST", "prompt"],
    ["an unknown mode", '{"prompt": "hi", "mode": "loud"}', "INVALID_REQUEST", '"loud"'],
    ["a speed too high", '{"prompt": "hi", "speed": 3}', "INVALID_REQUEST", "got 3"],
    ["an endpoint that is a path", '{"prompt": "hi", "endpoint": "../x"}', "INVALID_REQUEST", "endpoint"],
    ["nothing", undefined, "INVALID_REQUEST", "valid JSON"],
  ])("fails %s with an error event", async (_what, body, code, words) => {
    const response = await fetch(new URL("/invocations", system.agentUrl), {
      method: "POST",
      ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
    });
    const events = (await response.text()).split("\n\n").filter((text) => text.startsWith("data: "));
    expect(events).toHaveLength(1);
    const error = JSON.parse(events[0]!.slice("data: ".length));
    expect(error).toMatchObject({ type: "error", code, retryable: false });
    expect(error.message).toContain(words);
    expect(error.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("fails an unknown voice with the nearest names, and names the sentence", async () => {
    const arrivals = await collect(ask({ prompt: "What is rain?", voice: "nobody" }));
    const last = arrivals.at(-1)?.event;
    expect(last).toMatchObject({ type: "error", code: "UNKNOWN_VOICE", retryable: false });
    expect(last?.type === "error" && last.message).toMatch(/sentence 1\b.*af_heart/);
  });

  it("fails an endpoint that does not exist", async () => {
    for (const mode of AGENT_MODES) {
      const arrivals = await collect(ask({ prompt: "What is rain?", endpoint: "nowhere", mode }));
      expect(arrivals.at(-1)?.event).toMatchObject({ type: "error", code: "NOT_FOUND" });
    }
  });

  it("lets one prompt wait for the turn of its session, and fails more", async () => {
    const session = "busy".padEnd(40, "-");
    const calls = [1, 2, 3].map(() => collect(ask({ prompt: "What is rain?" }, session)));
    const ends = (await Promise.all(calls)).map((arrivals) => arrivals.at(-1)?.event);
    const refused = ends.filter((event) => event?.type === "error");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(3);
    expect(refused[0]).toMatchObject({ code: "QUEUE_SATURATED", retryable: true });
  });

  it("takes a body above the limit for what it is", async () => {
    const response = await fetch(new URL("/invocations", system.agentUrl), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "x".repeat(1024 * 1024) }),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({
      error: {
        code: "TEXT_TOO_LONG",
        message: expect.stringContaining("1048576 bytes"),
        retryable: false,
        request_id: expect.any(String),
      },
    });
  });

  it("answers a path or method that is not served in the form of every other error", async () => {
    for (const [method, path] of [
      ["GET", "/invocations"],
      ["POST", "/elsewhere"],
    ] as const) {
      const response = await fetch(new URL(path, system.agentUrl), { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error: { code: "NOT_FOUND", request_id: expect.any(String) },
      });
    }
  });
});

describe("GET /ping", () => {
  it("is Healthy, and HealthyBusy while a turn runs", async () => {
    const status = async () =>
      ((await (await fetch(new URL("/ping", system.agentUrl))).json()) as { status: string }).status;
    expect(await status()).toBe("Healthy");
    const during: string[] = [];
    for await (const { event } of ask({ prompt: "What is rain?" })) {
      if (event.type === "agent_start") during.push(await status());
    }
    expect(during).toEqual(["HealthyBusy"]);
    expect(await status()).toBe("Healthy");
  });
});

describe("/ws", () => {
  it("sends the same events, and audio as binary frames", async () => {
    const socket = await openAgentSocket(system.agentUrl);
    socket.send({ prompt: "What is rain?" });
    const messages = await socket.turn();
    const kinds = messages.map((message) => (message instanceof Uint8Array ? "audio" : message.type));
    expect(kinds[0]).toBe("agent_start");
    expect(kinds.at(-1)).toBe("agent_end");
    const audio = messages.filter((message) => message instanceof Uint8Array);
    const end = messages.find(
      (message) => !(message instanceof Uint8Array) && message.type === "audio_stream_end",
    );
    expect(end).toMatchObject({ total_chunks: audio.length });
    // The connection serves the next turn as well.
    socket.send({ prompt: "And snow?", mode: "batch" });
    expect((await socket.turn()).at(-1)).toEqual({ type: "agent_end" });
    await socket.close();
  });

  it("ends a cancelled turn with agent_end, and stops the model", async () => {
    const before = system.bedrock.stats().cancelled;
    const socket = await openAgentSocket(system.agentUrl);
    socket.send({ prompt: "What is rain?" });
    await socket.next((message) => !(message instanceof Uint8Array) && message.type === "text_delta");
    socket.send({ type: "cancel" });
    expect((await socket.turn()).at(-1)).toEqual({ type: "agent_end", cancelled: true });
    await expect.poll(() => system.bedrock.stats().cancelled).toBe(before + 1);
    await socket.close();
  });

  it("lets a new prompt interrupt: the old turn is closed before the new one opens", async () => {
    const socket = await openAgentSocket(system.agentUrl);
    socket.send({ prompt: "What is rain?" });
    await socket.next((message) => message instanceof Uint8Array);
    socket.send({ prompt: "Stop. What is snow?" });
    expect((await socket.turn()).at(-1)).toEqual({ type: "agent_end", cancelled: true });
    const second = await socket.turn();
    expect(second[0]).toMatchObject({ type: "agent_start" });
    expect(second.at(-1)).toEqual({ type: "agent_end" });
    await socket.close();
  });

  it("answers a bad frame with an error and lives on", async () => {
    const socket = await openAgentSocket(system.agentUrl);
    for (const frame of ["{", "[]", '{"type": "what"}', '{"prompt": ""}']) {
      socket.sendRaw(frame);
      expect((await socket.turn()).at(-1)).toMatchObject({ type: "error", code: "INVALID_REQUEST" });
    }
    socket.sendRaw("x".repeat(2 * 1024 * 1024));
    expect((await socket.turn()).at(-1)).toMatchObject({ type: "error", code: "TEXT_TOO_LONG" });
    socket.sendRaw(Buffer.from('{"prompt": "What is rain?"}'));
    expect((await socket.turn()).at(-1)).toEqual({ type: "agent_end" });
    socket.send({ type: "cancel" });
    socket.send({ prompt: "What is rain?" });
    expect((await socket.turn()).at(-1)).toEqual({ type: "agent_end" });
    await socket.close();
  });

  it("closes on a frame too large to be held with 1009", async () => {
    const socket = await openAgentSocket(system.agentUrl);
    socket.sendRaw("x".repeat(5 * 1024 * 1024));
    expect(await socket.closed).toBe(1009);
  });
});

describe("history", () => {
  it("is kept within a session, reaches Bedrock, and begins anew in another", async () => {
    const bodies: { messages: { role: string; content: { text: string }[] }[] }[] = [];
    let connections = 0;
    const bedrock = createServer();
    bedrock.on("session", () => connections++);
    bedrock.on("stream", async (stream) => {
      let body = "";
      for await (const chunk of stream) body += chunk;
      bodies.push(JSON.parse(body));
      stream.respond({ ":status": 200, "content-type": "application/vnd.amazon.eventstream" });
      stream.write(converseEvents.messageStart());
      stream.write(converseEvents.contentBlockDelta("Yes, so it is."));
      stream.write(converseEvents.contentBlockStop());
      stream.write(converseEvents.messageStop("end_turn"));
      stream.end(converseEvents.metadata(usageOf(1, 1), 1));
    });
    await new Promise<void>((resolve) => bedrock.listen(0, "127.0.0.1", resolve));
    const recorded = await startAgentSystem({
      agentEnv: {
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: `http://127.0.0.1:${(bedrock.address() as AddressInfo).port}`,
        AGENT_SYSTEM_PROMPT: "Be brief.",
      },
    });
    try {
      const say = (prompt: string, runtimeSessionId: string) =>
        collect(callAgent({ kind: "url", url: recorded.agentUrl }, { prompt }, { runtimeSessionId }));
      await say("one", "session-a");
      await say("two", "session-b");
      await say("three", "session-a");
      const said = bodies.map(({ messages }) =>
        messages.map(({ role, content }) => `${role}: ${content.map(({ text }) => text).join("")}`),
      );
      expect(said).toEqual([
        ["user: one"],
        ["user: two"],
        ["user: one", "assistant: Yes, so it is.", "user: three"],
      ]);
      // One connection for all turns: no handshake before a first word.
      expect(connections).toBe(1);
    } finally {
      await recorded.stop();
      bedrock.close();
    }
  });
});

describe("a caller that is not AgentCore", () => {
  it("needs neither a session id nor an Accept header", async () => {
    const response = await fetch(new URL("/invocations", system.agentUrl), {
      method: "POST",
      headers: { [RUNTIME_SESSION_HEADER]: "" },
      body: '{"prompt": "What is rain?"}',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toContain('"type":"agent_end"');
  });
});
