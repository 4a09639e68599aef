/** The container's HTTP routes on loopback: /ping, POST /invocations in all its forms, and callers who misbehave. */
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MPEGDecoder } from "mpg123-decoder";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readWav, WAV_HEADER_BYTES } from "../../lib/audio/wav.ts";
import type { InvocationEvent } from "../../lib/protocol/invocations.ts";
import { BIDI_PATH, MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import { SseReader } from "../../lib/protocol/sse.ts";
import { FAILS_AT_ONCE, FAILS_MIDWAY, LEAKS } from "../helpers/fake-synthesizer.ts";
import {
  startTestServer,
  TestCaller,
  type TestServer,
  type TestServerOptions,
} from "../helpers/tts-server.ts";

let server: TestServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  server = await startTestServer(options);
  return server;
}

function post(body: unknown, init: RequestInit = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${server.url}/invocations`, { method: "POST", body: text, ...init });
}

/** Sends bytes as they are and reads what comes until the server closes. */
async function raw(bytes: string, { halfClose = false } = {}): Promise<string> {
  const socket = openRaw();
  socket.write(bytes);
  if (halfClose) socket.end();
  return readAll(socket);
}

function openRaw(): Socket {
  const socket = connect(server.port, "127.0.0.1");
  sockets.push(socket);
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  await new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("error", () => {});
  });
  return text;
}

describe("/ping", () => {
  test("says 503 while the model loads and 200 from then on; so do the other routes", async () => {
    await start({ isLoading: true });
    const early = await fetch(`${server.url}/ping`);
    expect(early.status).toBe(503);
    expect(early.headers.get("retry-after")).toBe("1");
    expect(await early.json()).toMatchObject({ error: { code: "MODEL_NOT_READY", retryable: true } });
    expect((await post({ text: "Hi." })).status).toBe(503);
    await expect(new TestCaller(server.wsUrl).opened).rejects.toThrow("503");
    server.service.becomeReady(server.synthesizer);
    expect((await fetch(`${server.url}/ping`)).status).toBe(200);
    expect((await post({ text: "Hi." })).status).toBe(200);
  });

  test("answers HEAD without a body, and a query", async () => {
    await start();
    const head = await fetch(`${server.url}/ping?x=1`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("and a WebSocket accept answer within 50 ms while long audio is encoded and resampled", async () => {
    await start({ turnsAtOnce: 8, segmentMs: 20_000 });
    const text = `${"x".repeat(600)}.`;
    const busy = Promise.all([
      post({ text, format: "mp3" }).then((answer) => answer.arrayBuffer()),
      post({ text, format: "mp3", stream: true, sample_rate: 48_000 }).then((answer) => answer.arrayBuffer()),
      post({ text, format: "wav", sample_rate: 48_000 }).then((answer) => answer.arrayBuffer()),
      post({ text, transport: "sse", sample_rate: 16_000 }).then((answer) => answer.arrayBuffer()),
    ]);
    let isBusy = true;
    void busy.finally(() => {
      isBusy = false;
    });
    const times: number[] = [];
    while (isBusy) {
      const startedMs = performance.now();
      await fetch(`${server.url}/ping`).then((answer) => answer.text());
      times.push(performance.now() - startedMs);
      const socket = new WebSocket(server.wsUrl);
      const openedMs = performance.now();
      await new Promise((resolve) => socket.on("open", resolve));
      times.push(performance.now() - openedMs);
      socket.close();
    }
    expect(times.length).toBeGreaterThan(20);
    // The median, since this machine's other work also counts into the worst.
    expect(times.sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(50);
    expect(times.at(-1)).toBeLessThan(250);
  });
});

describe("routes", () => {
  test.each([
    ["GET", "/", 404, "NOT_FOUND"],
    ["GET", "/pings", 404, "NOT_FOUND"],
    ["POST", "/ping", 405, "INVALID_REQUEST"],
    ["GET", "/invocations", 405, "INVALID_REQUEST"],
    ["DELETE", "/invocations", 405, "INVALID_REQUEST"],
    ["GET", BIDI_PATH, 426, "INVALID_REQUEST"],
    ["POST", BIDI_PATH, 405, "INVALID_REQUEST"],
  ])("%s %s answers %i", async (method, path, status, code) => {
    await start();
    const answer = await fetch(server.url + path, { method });
    expect(answer.status).toBe(status);
    const requestId = answer.headers.get("x-request-id");
    expect(requestId).toBeTruthy();
    expect(await answer.json()).toMatchObject({
      error: { code, message: expect.any(String), request_id: requestId },
    });
    if (status === 405) expect(answer.headers.get("allow")).toBeTruthy();
  });

  test("HEAD of an unknown path has a status and no body", async () => {
    await start();
    const answer = await fetch(`${server.url}/nowhere`, { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([404, ""]);
  });

  test.each(["/", "/invocations", `${BIDI_PATH}/x`])(
    "an upgrade at %s is refused with an HTTP answer",
    async (path) => {
      await start();
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
      expect(JSON.parse(answer.split("\r\n\r\n")[1]!)).toMatchObject({ error: { code: "NOT_FOUND" } });
    },
  );

  test("an upgrade with a query is taken", async () => {
    await start();
    const caller = new TestCaller(`${server.wsUrl}?voice=af_heart`);
    await caller.opened;
    caller.socket.close();
  });

  test("an upgrade without a key is refused with 400", async () => {
    await start();
    const answer = await raw(
      `GET ${BIDI_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("a request that offers h2c is answered as plain HTTP", async () => {
    await start();
    const body = JSON.stringify({ text: "Hi.", format: "pcm" });
    const answer = await raw(
      `POST /invocations HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test("more sessions than the limit are refused with 503", async () => {
    await start({ sessionsMax: 1 });
    const first = new TestCaller(server.wsUrl);
    await first.opened;
    await expect(new TestCaller(server.wsUrl).opened).rejects.toThrow("503");
    first.socket.close();
    await first.closed;
    const next = new TestCaller(server.wsUrl);
    await next.opened;
    next.socket.close();
  });
});

describe("POST /invocations", () => {
  const TEXT = "One sentence is here. Another sentence follows.";

  test("answers a whole WAV with the facts in its headers", async () => {
    await start();
    const answer = await post({ text: TEXT, request_id: "mine" });
    expect(answer.status).toBe(200);
    const file = Buffer.from(await answer.arrayBuffer());
    const wav = readWav(file);
    const samples = server.synthesizer.samplesOf("One sentence is here.Another sentence follows.".length);
    expect(wav).toMatchObject({ sampleRateHz: 24_000, channels: 1 });
    expect(wav.pcm16.length).toBe(samples * 2);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "audio/wav",
      "content-length": String(file.length),
      "x-request-id": "mine",
      "x-audio-duration": (samples / 24_000).toFixed(3),
      "x-inference-time-ms": expect.stringMatching(/^\d+\.\d$/),
      "x-rtf": expect.stringMatching(/^\d+\.\d{4}$/),
      "x-characters-processed": String(TEXT.length),
    });
  });

  test.each([
    ["a whole file", {}, false],
    ["a chunked file", { stream: true }, true],
    ["events", { transport: "sse" }, true],
    ["events that are none", { transport: "sse", stream: false }, false],
  ])("has %s synthesized in windows or whole, as it is heard", async (_name, manner, windows) => {
    await start();
    await (await post({ text: TEXT, ...manner })).arrayBuffer();
    expect(server.synthesizer.requests.map((request) => request.windows)).toEqual([windows, windows]);
  });

  test.each([
    ["wav", "audio/wav"],
    ["pcm", "audio/pcm"],
    ["mp3", "audio/mpeg"],
  ] as const)("streams %s as the very bytes of the whole file, chunked", async (format, type) => {
    await start();
    const whole = await post({ text: TEXT, format });
    const streamed = await post({ text: TEXT, format, stream: true });
    expect(streamed.headers.get("content-type")).toBe(type);
    expect(streamed.headers.get("content-length")).toBeNull();
    expect(streamed.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const [a, b] = [Buffer.from(await whole.arrayBuffer()), Buffer.from(await streamed.arrayBuffer())];
    if (format === "wav") {
      expect([b.readUInt32LE(4), b.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
      expect(b.subarray(WAV_HEADER_BYTES).equals(a.subarray(WAV_HEADER_BYTES))).toBe(true);
    } else expect(b.equals(a)).toBe(true);
  });

  test("makes an MP3 that a decoder plays to its end", async () => {
    await start();
    const answer = await post({ text: TEXT, format: "mp3" });
    const decoder = new MPEGDecoder();
    await decoder.ready;
    const audio = decoder.decode(new Uint8Array(await answer.arrayBuffer()));
    decoder.free();
    expect(audio.errors).toEqual([]);
    expect(audio.sampleRate).toBe(24_000);
    const seconds = Number(answer.headers.get("x-audio-duration"));
    expect(audio.samplesDecoded / 24_000).toBeGreaterThanOrEqual(seconds);
    expect(audio.samplesDecoded / 24_000).toBeLessThan(seconds + 0.2);
  });

  test("sends the first sentence's audio before the second is begun", async () => {
    await start({ msPerAudioSecond: 100 });
    const answer = await post({
      text: `Short one here. ${"A longer one follows after that, with words. ".repeat(9)}`,
      stream: true,
    });
    const reader = answer.body!.getReader();
    await reader.read();
    expect(server.synthesizer.requests.length).toBe(1);
    await reader.cancel();
  });

  test.each(["wav", "mp3", "pcm"] as const)("gives the same %s as events", async (format) => {
    await start();
    const whole = Buffer.from(await (await post({ text: TEXT, format, stream: true })).arrayBuffer());
    const answer = await post({ text: TEXT, format, transport: "sse", request_id: "e", voice: "am_adam" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const events = readEvents(Buffer.from(await answer.arrayBuffer()));
    const chunks = events.filter((event) => event.type === "audio_chunk");
    expect(events[0]).toEqual({
      type: "audio_stream_start",
      request_id: "e",
      format,
      sample_rate: 24_000,
      voice: "am_adam",
    });
    expect(chunks.map((event) => event.seq)).toEqual(chunks.map((_, i) => i));
    expect(Buffer.concat(chunks.map((event) => Buffer.from(event.data, "base64"))).equals(whole)).toBe(true);
    expect(events.at(-1)).toEqual({
      type: "audio_stream_end",
      request_id: "e",
      total_chunks: chunks.length,
      duration_s: expect.closeTo(2.76, 1),
    });
    expect(events).toHaveLength(chunks.length + 2);
  });

  test.each([
    ["wav", undefined, WAV_HEADER_BYTES],
    ["wav", true, WAV_HEADER_BYTES],
    ["pcm", undefined, 0],
    ["pcm", true, 0],
  ])("of text without a letter or digit is an empty %s (stream: %s)", async (format, stream, bytes) => {
    await start();
    const answer = await post({ text: "...!", format, stream });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBe(bytes);
    if (!stream) expect(answer.headers.get("x-rtf")).toBe("0.0000");
    expect(server.synthesizer.requests).toEqual([]);
  });

  test("as SSE of text without a letter or digit starts and ends", async () => {
    await start();
    const events = readEvents(
      Buffer.from(await (await post({ text: "?", transport: "sse", format: "pcm" })).arrayBuffer()),
    );
    expect(events.map((event) => event.type)).toEqual(["audio_stream_start", "audio_stream_end"]);
    expect(events[1]).toMatchObject({ total_chunks: 0, duration_s: 0 });
  });

  test.each([
    ["no content type", {}],
    ["a wrong content type", { "Content-Type": "text/plain" }],
    ["form encoding's", { "Content-Type": "application/x-www-form-urlencoded" }],
  ])("takes JSON under %s", async (_, headers) => {
    await start();
    expect((await post({ text: "Hi." }, { headers: headers as Record<string, string> })).status).toBe(200);
  });

  test("answers an id that no header could hold percent-encoded", async () => {
    await start();
    const answer = await post({ text: "Hi.", request_id: "naïve\r\nX-Evil: 1" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-evil")).toBeNull();
    expect(decodeURIComponent(answer.headers.get("x-request-id")!)).toBe("naïve\r\nX-Evil: 1");
  });

  test("serves requests one after the other on one connection", async () => {
    await start();
    const body = JSON.stringify({ text: "Hi.", format: "pcm" });
    const head = `POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
    const answer = await raw(`${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`);
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  test("answers a caller who has closed its sending half", async () => {
    await start();
    const body = JSON.stringify({ text: "Hi.", format: "pcm" });
    const answer = await raw(
      `POST /invocations HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      { halfClose: true },
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe("a bad request", () => {
  test.each<[string, unknown, number, string, RegExp]>([
    ["no JSON", "{", 400, "INVALID_REQUEST", /not valid JSON/],
    ["an empty body", "", 400, "INVALID_REQUEST", /not valid JSON/],
    ["an array", "[]", 400, "INVALID_REQUEST", /JSON object/],
    ["no text", {}, 400, "INVALID_REQUEST", /text must be/],
    ["blank text", { text: " " }, 400, "INVALID_REQUEST", /text must be/],
    [
      "wrong types",
      { text: 1, speed: "x", stream: 1 },
      400,
      "INVALID_REQUEST",
      /text must .*; speed must .*; stream must/,
    ],
    [
      "an unknown format",
      { text: "Hi.", format: "ogg" },
      400,
      "INVALID_REQUEST",
      /format must be .* got "ogg"/,
    ],
    ["an unknown transport", { text: "Hi.", transport: "x" }, 400, "INVALID_REQUEST", /transport must be/],
    ["an unknown voice", { text: "Hi.", voice: "xx" }, 400, "UNKNOWN_VOICE", /nearest are/],
    ["speed beyond its range", { text: "Hi.", speed: 3 }, 400, "INVALID_REQUEST", /speed must be .* got 3/],
    [
      "a stale stamp in seconds",
      { text: "Hi.", request_timestamp: 1.5e9 },
      408,
      "REQUEST_STALE",
      /^request_stale/,
    ],
    [
      "a stale stamp in milliseconds",
      { text: "Hi.", request_timestamp: 1.5e12 },
      408,
      "REQUEST_STALE",
      /^request_stale/,
    ],
    [
      "too long text",
      { text: "x".repeat(10_001) },
      413,
      "TEXT_TOO_LONG",
      /at most 10000 characters, got 10001/,
    ],
  ])("with %s gets its status, code and id", async (_, body, status, code, words) => {
    await start();
    const isObject = typeof body === "object";
    const answer = await post(isObject ? { ...(body as object), request_id: "bad" } : body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const { error } = (await answer.json()) as { error: Record<string, unknown> };
    expect(error).toEqual({
      code,
      message: expect.stringMatching(words),
      retryable: code === "REQUEST_STALE",
      request_id: isObject ? "bad" : expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.headers.get("x-request-id")).toBe(error.request_id);
  });

  test("counts characters, not UTF-16 units, and the limit itself is allowed", async () => {
    await start({ textMaxChars: 5 });
    expect((await post({ text: "a\u{1f600}\u{1f600}\u{1f600}b" })).status).toBe(200);
    expect((await post({ text: "a\u{1f600}\u{1f600}\u{1f600}bc" })).status).toBe(413);
  });

  test("a stamp from a clock that runs ahead, and one of 50 s ago, are taken", async () => {
    await start();
    const nowS = Date.now() / 1000;
    expect((await post({ text: "Hi.", request_timestamp: nowS + 500 })).status).toBe(200);
    expect((await post({ text: "Hi.", request_timestamp: nowS - 50 })).status).toBe(200);
    expect((await post({ text: "Hi.", request_timestamp: nowS - 57 })).status).toBe(408);
  });

  test("a full queue answers 503 with a hint when to come back", async () => {
    await start({ turnsAtOnce: 1, queueMax: 0, msPerAudioSecond: 200 });
    const first = post({ text: "This takes some time to say, as it is long." });
    await expect.poll(() => server.synthesizer.running).toBe(1);
    const answer = await post({ text: "Hi.", request_id: "full" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toMatchObject({ error: { code: "QUEUE_SATURATED", request_id: "full" } });
    expect((await first).status).toBe(200);
    expect((await post({ text: "Hi." })).status).toBe(200);
  });

  test("a failure before the first audio is a status, in every form", async () => {
    await start();
    for (const form of [{}, { stream: true }, { transport: "sse" }]) {
      const answer = await post({ text: FAILS_AT_ONCE, request_id: "f", ...form });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: { code: "SYNTHESIS_FAILED", request_id: "f" } });
    }
    const leak = await post({ text: `${LEAKS} secretword` });
    expect(leak.status).toBe(500);
    expect(JSON.stringify([await leak.json(), server.logLines])).not.toContain("secretword");
    expect(server.service.admission.inside).toBe(0);
  });

  test("a failure in the middle breaks a chunked answer off, and is an event in SSE", async () => {
    await start();
    const text = `${FAILS_MIDWAY} and so on and so forth.`;
    const answer = await post({ text, stream: true });
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
    const events = readEvents(
      Buffer.from(await (await post({ text, transport: "sse", request_id: "m" })).arrayBuffer()),
    );
    expect(events.at(-1)).toEqual({
      type: "error",
      request_id: "m",
      code: "SYNTHESIS_FAILED",
      message: expect.any(String),
      retryable: false,
    });
    expect(events.some((event) => event.type === "audio_chunk")).toBe(true);
    expect(events.some((event) => event.type === "audio_stream_end")).toBe(false);
    expect((await post({ text })).status).toBe(500);
  });
});

describe("a body too large", () => {
  test("is refused by its declared length, before it has come", async () => {
    await start();
    const socket = openRaw();
    socket.write(
      `POST /invocations HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${50 * MESSAGE_MAX_BYTES}\r\n\r\n${"x".repeat(2_000)}`,
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("is refused as it comes when no length was declared", async () => {
    await start();
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const request = httpRequest(`${server.url}/invocations`, { method: "POST" }, (response) => {
        let body = "";
        response.on("data", (data) => {
          body += data;
        });
        response.on("end", () => resolve({ status: response.statusCode!, body }));
      });
      request.on("error", reject);
      for (let i = 0; i < 3; i++) request.write(Buffer.alloc(MESSAGE_MAX_BYTES, 0x20));
      request.end();
    });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "TEXT_TOO_LONG" } });
  });

  test("need not be sent by a caller who asks first (Expect: 100-continue)", async () => {
    await start();
    const head = "POST /invocations HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n";
    const answer = await raw(`${head}Content-Length: ${2 * MESSAGE_MAX_BYTES}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    const body = JSON.stringify({ text: "Hi.", format: "pcm" });
    const socket = openRaw();
    socket.write(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe("a caller who leaves or dawdles", () => {
  test.each([{}, { stream: true }, { transport: "sse" }])(
    "%o: leaving stops the work at once",
    async (form) => {
      await start({ msPerAudioSecond: 300 });
      const caller = new AbortController();
      const answer = post(
        { text: "A rather long sentence of many words, which takes its time.", ...form },
        { signal: caller.signal },
      );
      answer.then((response) => response.arrayBuffer()).catch(() => {});
      await expect.poll(() => server.synthesizer.segments, { interval: 5 }).toBeGreaterThan(0);
      caller.abort();
      await expect.poll(() => server.synthesizer.cancelled, { interval: 5, timeout: 500 }).toBe(1);
      await expect.poll(() => server.service.admission.inside).toBe(0);
      expect(server.logLines.at(-1)).toMatchObject({ event: "utterance", outcome: "gone", level: "info" });
    },
  );

  test("one who leaves in the middle of its own body costs nothing", async () => {
    await start();
    const socket = openRaw();
    socket.write('POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"text": "Hi');
    await sleep(50);
    socket.destroy();
    await expect.poll(() => server.logLines.at(-1)).toMatchObject({ event: "utterance", outcome: "gone" });
    expect(server.synthesizer.requests).toEqual([]);
  });

  test("one who reads nothing slows the work down, and memory stays bounded", async () => {
    await start();
    const body = JSON.stringify({
      text: "This is one of two hundred sentences, all alike. ".repeat(200),
      stream: true,
    });
    const socket = openRaw();
    socket.pause();
    socket.write(`POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await expect.poll(() => server.synthesizer.requests.length, { timeout: 5_000 }).toBeGreaterThan(1);
    let before = -1;
    while (before !== server.synthesizer.requests.length) {
      before = server.synthesizer.requests.length;
      await sleep(150);
    }
    expect(before).toBeLessThan(150);
    socket.resume();
    await expect.poll(() => server.synthesizer.completed, { timeout: 20_000 }).toBe(200);
  });

  test("one who sends its head a byte at a time is cut off with 408", async () => {
    await start({ headersTimeoutMs: 200, requestTimeoutMs: 400, timeoutCheckMs: 50 });
    const socket = openRaw();
    const drip = setInterval(() => socket.write("X"), 20);
    socket.write("GET /ping HTTP/1.1\r\nHost: x\r\n");
    const answer = await readAll(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("one who sends its body a byte at a time is cut off too", async () => {
    await start({ headersTimeoutMs: 200, requestTimeoutMs: 400, timeoutCheckMs: 50 });
    const socket = openRaw();
    const drip = setInterval(() => socket.write(" "), 20);
    socket.write("POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{");
    await readAll(socket);
    clearInterval(drip);
    expect(server.synthesizer.requests).toEqual([]);
  });

  test("one whose head is too large gets 431", async () => {
    await start();
    const answer = await raw(`GET /ping HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("one who speaks no HTTP gets 400", async () => {
    await start();
    expect(await raw("hello there\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("shutting down", () => {
  test("finishes what was begun, takes nothing new, and keeps no connection", async () => {
    await start({ msPerAudioSecond: 200 });
    const begun = post({ text: "This one was begun in time.", stream: true });
    const other = openRaw();
    other.write("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(other, "data");
    await expect.poll(() => server.synthesizer.running).toBe(1);
    const drained = server.server.drain(5_000);
    await expect(fetch(`${server.url}/ping`)).rejects.toThrow("fetch failed");
    const answer = await begun;
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(WAV_HEADER_BYTES);
    expect(await drained).toBe(true);
    expect(server.synthesizer).toMatchObject({ completed: 1, cancelled: 0 });
  });

  test("cuts what takes too long", async () => {
    await start({ msPerAudioSecond: 2_000 });
    const begun = post({ text: "This one will never be finished in time." }).catch((error: unknown) => error);
    await expect.poll(() => server.synthesizer.running).toBe(1);
    expect(await server.server.drain(50)).toBe(false);
    expect(await begun).toBeInstanceOf(TypeError);
    await expect.poll(() => server.synthesizer.cancelled).toBe(1);
  });
});

test("the log never holds what is spoken", async () => {
  await start();
  const text = "Confidential words about nobody in particular.";
  await post({ text }).then((answer) => answer.arrayBuffer());
  await post({ text, speed: 9 });
  await post({ text, voice: 5 });
  await fetch(`${server.url}/${encodeURIComponent(text)}`);
  const caller = new TestCaller(server.wsUrl);
  await caller.opened;
  caller.send({ text });
  caller.send({ text, type: "x" });
  await caller.answers(2);
  caller.socket.close();
  await caller.closed;
  await expect.poll(() => server.logLines.length).toBeGreaterThanOrEqual(6);
  expect(JSON.stringify(server.logLines)).not.toContain("onfidential");
  expect(server.logLines.every((line) => line.level && line.time && line.event)).toBe(true);
});

function readEvents(bytes: Buffer): InvocationEvent[] {
  return new SseReader().feed(bytes).map((event) => JSON.parse(event.data) as InvocationEvent);
}

function once(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise((resolve) => socket.once(event, (...values) => resolve(values)));
}
