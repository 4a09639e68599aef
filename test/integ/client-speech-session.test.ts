/** A turn of speech over the real wires: the container's server with a fake engine, straight and through SageMaker's stand-in. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { resolveSpeechEndpoint, type SpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { invokeEndpoint, invokeEndpointStream } from "../../lib/client/sagemaker/invocation.ts";
import { connectSageMaker } from "../../lib/client/sagemaker/sagemaker-transport.ts";
import { SpeechSession } from "../../lib/client/speech-session.ts";
import type { SpeechTransport } from "../../lib/client/transport.ts";
import type { SpeechEvent } from "../../lib/client/utterance-ledger.ts";
import { connectWebSocket } from "../../lib/client/websocket-transport.ts";
import {
  type SageMakerFrontDoorOptions,
  startSageMakerFrontDoor,
} from "../../lib/local/sagemaker-front-door.ts";
import { FAILS_AT_ONCE, FAILS_MIDWAY } from "../helpers/fake-synthesizer.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../helpers/tts-server.ts";

vi.setConfig({ testTimeout: 15_000 });

const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function container(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  cleanups.push(() => server.close());
  return server;
}

async function frontDoor(
  server: TestServer,
  options: Partial<SageMakerFrontDoorOptions> = {},
): Promise<SpeechEndpoint> {
  const door = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: server.url },
    secretFor: (id) => (id === CREDENTIALS.accessKeyId ? CREDENTIALS.secretAccessKey : undefined),
    ...options,
  });
  cleanups.push(() => door.close());
  return resolveSpeechEndpoint({ endpointName: "speech", region: "us-east-1", overrideUrl: door.url });
}

/** Each way to the same container. */
const WAYS: [string, (server: TestServer, signal?: AbortSignal) => Promise<SpeechTransport>][] = [
  [
    "a WebSocket",
    async (server, signal) => connectWebSocket({ url: new URL(server.url), ...(signal && { signal }) }),
  ],
  [
    "SageMaker's stand-in",
    async (server, signal) =>
      connectSageMaker({
        endpoint: await frontDoor(server),
        credentials: CREDENTIALS,
        ...(signal && { signal }),
      }),
  ],
  [
    "a SageMaker that holds its headers",
    async (server, signal) =>
      connectSageMaker({
        endpoint: await frontDoor(server, { holdResponseHeaders: true }),
        credentials: CREDENTIALS,
        ...(signal && { signal }),
      }),
  ],
];

async function drain(session: SpeechSession): Promise<{ events: SpeechEvent[]; thrown: unknown }> {
  const events: SpeechEvent[] = [];
  try {
    for await (const event of session) events.push(event);
    return { events, thrown: undefined };
  } catch (thrown) {
    return { events, thrown };
  }
}

function audioBytes(events: SpeechEvent[], sentence: number): number {
  return events.reduce(
    (sum, e) => sum + (e.type === "audio" && e.sentence === sentence ? e.bytes.length : 0),
    0,
  );
}

const SENTENCES = ["The first sentence.", "And a second one, longer.", "Three."];

describe.each(WAYS)("a turn over %s", (_way, connect) => {
  it("is spoken whole, pipelined, in order, and the container sees a proper end", async () => {
    const server = await container();
    const session = new SpeechSession(await connect(server), { utterance: { voice: "am_adam" } });
    const reading = drain(session);
    for (const text of SENTENCES) await session.speak(text);
    session.finish();
    const { events, thrown } = await reading;
    expect(thrown).toBeUndefined();
    for (const [i, text] of SENTENCES.entries()) {
      const samples = server.synthesizer.samplesOf(text.length);
      expect(audioBytes(events, i + 1)).toBe(samples * 2);
      expect(events.find((e) => e.type === "utterance-complete" && e.sentence === i + 1)).toMatchObject({
        durationSeconds: samples / 24_000,
      });
    }
    await session.closed;
    await expect.poll(() => server.logLines.some((line) => line.event === "session_end")).toBe(true);
    expect(server.synthesizer.requests.every((request) => request.voice === "am_adam")).toBe(true);
  });

  it("lives on after sentences that fail, at once or midway", async () => {
    const server = await container();
    const session = new SpeechSession(await connect(server));
    const reading = drain(session);
    await session.speak("Good.");
    await session.speak(`No ${FAILS_AT_ONCE}.`);
    await session.speak(`Some ${FAILS_MIDWAY}.`);
    await session.speak("Unknown.", { voice: "nobody" });
    await session.speak("Good again.");
    session.finish();
    const { events, thrown } = await reading;
    expect(thrown).toBeUndefined();
    const ends = events.filter((e) => e.type === "utterance-complete" || e.type === "utterance-failed");
    expect(ends.map((e) => [e.sentence, e.type])).toEqual([
      [1, "utterance-complete"],
      [2, "utterance-failed"],
      [3, "utterance-failed"],
      [4, "utterance-failed"],
      [5, "utterance-complete"],
    ]);
    expect(ends[3]).toMatchObject({ error: { code: "UNKNOWN_VOICE" } });
  });

  it("throws, and names the sentence, when the container dies in the middle of it", async () => {
    const server = await container({ msPerAudioSecond: 200 });
    const session = new SpeechSession(await connect(server));
    await session.speak("Short.");
    await session.speak("A much longer sentence that takes its time to be spoken.");
    session.finish();
    const events: SpeechEvent[] = [];
    let thrown: unknown;
    try {
      for await (const event of session) {
        events.push(event);
        if (event.type === "audio" && event.sentence === 2) await server.close();
      }
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      name: "SpeechError",
      retryable: false,
      message: expect.stringContaining("sentence 2 of this turn"),
      details: { sentence: 2, audioSeen: true },
    });
  });

  it("stops the container's work when the signal is aborted in the middle of audio", async () => {
    const server = await container({ msPerAudioSecond: 100 });
    const controller = new AbortController();
    const session = new SpeechSession(await connect(server), { signal: controller.signal });
    await session.speak("A long sentence. ".repeat(20));
    let thrown: unknown;
    try {
      for await (const event of session) if (event.type === "audio") controller.abort();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(controller.signal.reason);
    await expect.poll(() => server.synthesizer.running, { timeout: 2_000 }).toBe(0);
    expect(server.synthesizer.cancelled).toBeGreaterThan(0);
  });

  it("slows the container down for a listener who does not read", async () => {
    const server = await container({ segmentMs: 1_000 });
    const session = new SpeechSession(await connect(server));
    // 600 s of audio: 29 MB.
    for (let i = 0; i < 4; i++) await session.speak("word ".repeat(500));
    const events = session[Symbol.asyncIterator]();
    await events.next();
    // It runs ahead until every buffer between is full (the kernel's are the largest), and then stands.
    let segmentsAhead = -1;
    while (server.synthesizer.segments > segmentsAhead) {
      segmentsAhead = server.synthesizer.segments;
      await sleep(300);
    }
    expect(segmentsAhead * 48_000).toBeLessThan(14_000_000);
    session.cancel();
  });
});

describe("SageMaker's stand-in", () => {
  it.each([
    ["wrong secret", { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "wrong" }, "speech", "ACCESS_DENIED"],
    ["unknown key", { accessKeyId: "AKIDNOBODY", secretAccessKey: "x" }, "speech", "ACCESS_DENIED"],
    ["unknown endpoint", CREDENTIALS, "absent", "NOT_FOUND"],
  ])(
    "refuses a caller with %s, and the error says what to do",
    async (_name, credentials, endpointName, code) => {
      const { bidiUrl } = await frontDoor(await container());
      const endpoint = resolveSpeechEndpoint({ endpointName, region: "us-east-1", overrideUrl: bidiUrl });
      const session = new SpeechSession(connectSageMaker({ endpoint, credentials }));
      const speaking = session.speak("Hello.").catch((error: unknown) => error);
      const { thrown } = await drain(session);
      expect(thrown).toMatchObject({ code, retryable: false });
      await speaking;
      for (const call of [invokeEndpoint, invokeEndpointStream]) {
        await expect(call({ text: "Hello." }, { endpoint, credentials })).rejects.toMatchObject({ code });
      }
    },
  );

  it("answers a whole invocation with one WAV", async () => {
    const server = await container();
    const endpoint = await frontDoor(server);
    const text = "The whole answer. In one piece.";
    const answer = await invokeEndpoint({ text, format: "wav" }, { endpoint, credentials: CREDENTIALS });
    expect(answer.contentType).toBe("audio/wav");
    expect(readWav(answer.body).sampleRateHz).toBe(24_000);
    expect(answer.body.length).toBeGreaterThan(44);
  });

  it("streams an invocation", async () => {
    const endpoint = await frontDoor(await container({ msPerAudioSecond: 20 }));
    const text = "The whole answer. In many pieces. One after the other.";
    const answer = await invokeEndpointStream(
      { text, format: "pcm", stream: true },
      { endpoint, credentials: CREDENTIALS },
    );
    expect(answer.contentType).toBe("audio/pcm");
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).length % 2).toBe(0);
  });

  it("unwraps the container's own refusal from a ModelError", async () => {
    const endpoint = await frontDoor(await container());
    const options = { endpoint, credentials: CREDENTIALS };
    for (const call of [invokeEndpoint, invokeEndpointStream]) {
      await expect(call({ text: "Hello.", voice: "nobody" }, options)).rejects.toMatchObject({
        code: "UNKNOWN_VOICE",
        details: { originalStatus: 400 },
      });
    }
  });

  it("gives up on a whole invocation after its time, or when aborted", async () => {
    const endpoint = await frontDoor(await container({ msPerAudioSecond: 1_000 }));
    const options = { endpoint, credentials: CREDENTIALS };
    const request = { text: "It takes too long. ".repeat(10) };
    await expect(invokeEndpoint(request, { ...options, timeoutMs: 100 })).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    const controller = new AbortController();
    const reason = new Error("the listener left");
    const calling = invokeEndpoint(request, { ...options, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(calling).rejects.toBe(reason);
  });

  it("fails on a body larger than the caller takes", async () => {
    const endpoint = await frontDoor(await container());
    const options = { endpoint, credentials: CREDENTIALS, bodyMaxBytes: 1_000 };
    await expect(invokeEndpoint({ text: "Hello there." }, options)).rejects.toMatchObject({
      code: "PROTOCOL_VIOLATION",
    });
  });
});
