/** What happens to a turn when somebody leaves or something dies: work stops at once, and the caller is told. */

import { spawn } from "node:child_process";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { callAgent } from "../../lib/client/agent-client.ts";
import type { AgentEvent, AgentPayloadInput } from "../../lib/protocol/agent-events.ts";
import { openAgentSocket } from "./agent-socket.ts";
import { type AgentSystem, type AgentSystemOptions, startAgentSystem } from "./agent-system.ts";

const LONG_ANSWER = Array.from(
  { length: 60 },
  (_, index) => `This is sentence number ${index} of many.`,
).join(" ");

let system: AgentSystem | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

async function start(options: AgentSystemOptions = {}): Promise<AgentSystem> {
  system = await startAgentSystem({
    ...options,
    bedrock: { answer: LONG_ANSWER, firstTokenMs: 10, tokensPerSecond: 50, ...options.bedrock },
    tts: { msPerAudioSecond: 100, ...options.tts },
  });
  return system;
}

async function eventsOf(
  { agentUrl }: AgentSystem,
  payload: AgentPayloadInput,
  onEvent: (event: AgentEvent) => void = () => {},
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of callAgent({ kind: "url", url: agentUrl }, payload)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

/** Leaves after the first audio; resolves to when, by this process's clock. */
async function leaveAtFirstAudio({ agentUrl }: AgentSystem, payload: AgentPayloadInput): Promise<number> {
  const leave = new AbortController();
  try {
    for await (const { event } of callAgent({ kind: "url", url: agentUrl }, payload, {
      signal: leave.signal,
    })) {
      if (event.type === "audio_chunk") leave.abort();
    }
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  }
  return performance.now();
}

const utterances = ({ ttsLog }: AgentSystem) => ttsLog.filter((line) => line.event === "utterance");
const turns = ({ agentLog }: AgentSystem) => agentLog.filter((line) => line.event === "turn");

/** Every part of the system has let go of the turn, which was far from its end. */
async function expectAllStopped(running: AgentSystem): Promise<void> {
  await expect.poll(() => running.bedrock.stats()).toMatchObject({ active: 0, cancelled: 1 });
  await expect.poll(() => utterances(running).some((line) => line.outcome === "gone")).toBe(true);
  expect(running.bedrock.stats().tokensWritten).toBeLessThan(200);
  expect(utterances(running).length).toBeLessThan(20);
  await expect.poll(() => turns(running).map((line) => line.outcome)).toEqual(["cancelled"]);
}

describe("a caller who leaves", () => {
  it("stops Bedrock and the speaker at once on /invocations", async () => {
    const running = await start();
    const leftMs = await leaveAtFirstAudio(running, { prompt: "Count." });
    await expect.poll(() => running.bedrock.stats().cancelled, { interval: 5 }).toBe(1);
    expect(performance.now() - leftMs).toBeLessThan(1_000);
    await expectAllStopped(running);
  });

  it("stops them on /ws, also when its machine just goes away", async () => {
    const running = await start();
    const socket = await openAgentSocket(running.agentUrl);
    socket.send({ prompt: "Count." });
    await socket.next((message) => message instanceof Uint8Array);
    socket.socket.terminate();
    await expectAllStopped(running);
  });

  it("stops them while nothing is written: the model thinks", async () => {
    const running = await start({ bedrock: { firstTokenMs: 60_000 } });
    const leave = new AbortController();
    const call = callAgent(
      { kind: "url", url: running.agentUrl },
      { prompt: "Hm?" },
      { signal: leave.signal },
    );
    await call.next();
    const next = call.next().catch(() => "left");
    await expect.poll(() => running.bedrock.stats().active).toBe(1);
    leave.abort();
    expect(await next).toBe("left");
    await expect.poll(() => running.bedrock.stats()).toMatchObject({ active: 0, cancelled: 1 });
  });

  it("stops a batch synthesis that is under way", async () => {
    const running = await start({ bedrock: { tokensPerSecond: 10_000 }, tts: { msPerAudioSecond: 1_000 } });
    const leave = new AbortController();
    const call = callAgent(
      { kind: "url", url: running.agentUrl },
      { prompt: "Hm?", mode: "batch" },
      { signal: leave.signal },
    );
    const done = (async () => {
      for await (const { event } of call)
        if (event.type === "text_delta" && event.seq === 100) setTimeout(() => leave.abort(), 1_000);
    })().catch(() => "left");
    expect(await done).toBe("left");
    await expect
      .poll(() => utterances(running).some((line) => line.outcome === "gone"), { timeout: 5_000 })
      .toBe(true);
  });

  it("leaves a session that can be used again", async () => {
    const running = await start();
    const session = "again".padEnd(40, "-");
    const leave = new AbortController();
    const options = { runtimeSessionId: session };
    const target = { kind: "url", url: running.agentUrl } as const;
    try {
      for await (const { event } of callAgent(
        target,
        { prompt: "Count." },
        { ...options, signal: leave.signal },
      )) {
        if (event.type === "audio_chunk") leave.abort();
      }
    } catch {
      // left on purpose
    }
    const events: AgentEvent[] = [];
    for await (const { event } of callAgent(target, { prompt: "Go on." }, options)) {
      events.push(event);
      if (event.type === "audio_chunk") break;
    }
    expect(events.some((event) => event.type === "audio_chunk")).toBe(true);
  });
});

describe("a caller who reads slowly", () => {
  it("slows the speaker down, and is noticed when it leaves though a write to it hangs", async () => {
    const running = await start({
      bedrock: { answer: LONG_ANSWER.repeat(20), tokensPerSecond: 20_000 },
      tts: { msPerAudioSecond: 0 },
    });
    const request = http.request(new URL("/invocations", running.agentUrl), { method: "POST" });
    request.end(JSON.stringify({ prompt: "Count." }));
    const response = await new Promise<http.IncomingMessage>((resolve) => request.on("response", resolve));
    response.pause();
    // 1,200 sentences are three quarters of an hour of audio: no buffer on the way holds them.
    let spoken = -1;
    await expect
      .poll(
        () => {
          const before = spoken;
          spoken = utterances(running).length;
          return spoken > 0 && spoken === before;
        },
        { interval: 700, timeout: 20_000 },
      )
      .toBe(true);
    expect(spoken).toBeLessThan(600);
    request.destroy();
    await expect.poll(() => turns(running).map((line) => line.outcome)).toEqual(["cancelled"]);
  });
});

describe("a part that dies", () => {
  it("ends the turn with an error that names the sentence when the TTS container is killed", async () => {
    const running = await start();
    let killed = false;
    const events = await eventsOf(running, { prompt: "Count." }, (event) => {
      if (killed || event.type !== "audio_chunk" || event.seq < 20) return;
      killed = true;
      process.kill(running.tts.pid!, "SIGKILL");
    });
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "error", retryable: false, request_id: expect.any(String) });
    expect(last?.type === "error" && last.message).toMatch(/sentence \d+/);
    expect(events.filter((event) => event.type === "agent_end")).toEqual([]);
    await expect.poll(() => running.bedrock.stats()).toMatchObject({ active: 0, cancelled: 1 });
  });

  it("tells a sentence that the container could not speak, and ends there", async () => {
    const running = await start({
      bedrock: { answer: "One is here. Two will failatonce now. Three is here." },
    });
    const last = (await eventsOf(running, { prompt: "Count." })).at(-1);
    expect(last).toMatchObject({ type: "error", code: "SYNTHESIS_FAILED" });
    expect(last?.type === "error" && last.message).toMatch(/sentence 2\b/);
  });

  it.each([
    [{ kind: "throttle" }, "THROTTLED", true],
    [{ kind: "unavailable" }, "LANGUAGE_MODEL_FAILED", true],
    [{ kind: "stream-exception", afterTokens: 5 }, "LANGUAGE_MODEL_FAILED", true],
    [{ kind: "disconnect", afterTokens: 5 }, "LANGUAGE_MODEL_FAILED", true],
  ] as const)("makes Bedrock's fault %j a %s, in words of ours", async (fault, code, retryable) => {
    const running = await start({ bedrock: { fault } });
    const last = (await eventsOf(running, { prompt: "Count." })).at(-1);
    expect(last).toMatchObject({ type: "error", code, retryable });
    expect(JSON.stringify(last)).not.toMatch(/Exception|127\.0\.0\.1|at .*\.js|Too many/);
    expect(JSON.stringify(running.agentLog)).not.toContain("Count.");
  });

  it.each([
    ["an unknown model", { BEDROCK_MODEL_ID: "no such model" }, "LANGUAGE_MODEL_FAILED", "BEDROCK_MODEL_ID"],
    [
      "a Bedrock that is not there",
      { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:9" },
      "LANGUAGE_MODEL_FAILED",
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    ],
    [
      "a speech endpoint that is not there",
      { SPEECH_ENDPOINT_URL: "http://127.0.0.1:9" },
      "TRANSPORT_FAILED",
      "",
    ],
    [
      "missing credentials",
      {
        AWS_ACCESS_KEY_ID: undefined,
        AWS_SECRET_ACCESS_KEY: undefined,
        AWS_EC2_METADATA_DISABLED: "true",
        HOME: "/nonexistent",
      },
      "CONFIGURATION",
      "aws sso login",
    ],
  ])("tells the next step for %s", async (_what, agentEnv, code, step) => {
    const running = await start({ agentEnv });
    const last = (await eventsOf(running, { prompt: "Count." })).at(-1);
    expect(last).toMatchObject({ type: "error", code });
    expect(last?.type === "error" && last.message).toContain(step);
  });
});

describe("the process", () => {
  const main = fileURLToPath(new URL("../../container/agent/main.ts", import.meta.url));
  const run = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    const lines = stdout.trim().split("\n");
    return { code, last: JSON.parse(lines.at(-1)!), stderr };
  };

  it("fails a port in use in one sentence, with exit code 2", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const port = (taken.address() as AddressInfo).port;
    const { code, last, stderr } = await run(["serve"], { AWS_REGION: "us-east-1", PORT: String(port) });
    taken.close();
    expect(code).toBe(2);
    expect(last).toMatchObject({
      level: "error",
      event: "listen_failed",
      port,
      error: { code: "CONFIGURATION", message: expect.stringContaining(`${port} is in use`) },
    });
    expect(stderr).toBe("");
  });

  it.each([
    [["serve"], {}, "AWS_REGION"],
    [[], { AWS_REGION: "us-east-1" }, "usage"],
    [["serve"], { AWS_REGION: "us-east-1", SPEECH_ENDPOINT_NAME: "a/b" }, "endpoint"],
  ])("fails wrong settings with exit code 2: %j %j", async (args, env, words) => {
    const { code, last } = await run(args as string[], env as Record<string, string>);
    expect(code).toBe(2);
    expect(last.error.message).toContain(words);
  });

  it("lets the turn that runs end on SIGTERM, refuses new ones, and exits 0", async () => {
    const running = await start({ bedrock: { answer: "One is here. Two is here. Three is here." } });
    let late: AgentEvent | undefined;
    const socket = await openAgentSocket(running.agentUrl);
    const events = await eventsOf(running, { prompt: "Count." }, (event) => {
      if (event.type !== "agent_start") return;
      process.kill(running.agent.pid!, "SIGTERM");
      setTimeout(() => socket.send({ prompt: "Me too?" }), 100);
      void socket.turn().then(
        (messages) => {
          late = messages.at(-1) as AgentEvent;
        },
        () => {},
      );
    });
    expect(events.at(-1)).toEqual({ type: "agent_end" });
    expect(late).toMatchObject({ type: "error", code: "MODEL_NOT_READY" });
    const why = await running.agent.ended;
    expect(why.message).toContain("exit code 0");
  });
});
