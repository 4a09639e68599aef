/** The container's WebSocket on loopback, by the `ws` client: order, bad input, back-pressure, and callers who leave. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import { FAILS_AT_ONCE, FAILS_MIDWAY, FAKE_PITCH_HZ, LEAKS } from "../helpers/fake-synthesizer.ts";
import {
  startTestServer,
  TestCaller,
  type TestServer,
  type TestServerOptions,
} from "../helpers/tts-server.ts";

let server: TestServer | undefined;
const callers: TestCaller[] = [];

afterEach(async () => {
  for (const caller of callers.splice(0)) caller.socket.terminate();
  await server?.close();
  server = undefined;
});

async function connect(options: TestServerOptions = {}): Promise<TestCaller> {
  server ??= await startTestServer(options);
  const caller = new TestCaller(server.wsUrl);
  callers.push(caller);
  await caller.opened;
  return caller;
}

describe("a message", () => {
  test.each([
    ["a text frame", false],
    ["a binary frame", true],
  ])("in %s is answered by start, audio and complete", async (_, binary) => {
    const caller = await connect();
    caller.send({ text: "Hello there.", request_id: "one" }, { binary });
    await caller.answers(1);
    expect(caller.types()).toEqual(["synthesis_start", "audio", "synthesis_complete"]);
    const samples = server!.synthesizer.samplesOf("Hello there.".length);
    expect(caller.audio()).toHaveLength(samples * 2);
    expect(caller.messages()).toEqual([
      { type: "synthesis_start", request_id: "one" },
      {
        type: "synthesis_complete",
        request_id: "one",
        total_duration_s: samples / 24_000,
        elapsed_s: expect.any(Number),
      },
    ]);
    expect(server!.synthesizer.requests).toMatchObject([
      { text: "Hello there.", voice: "af_heart", speed: 1, windows: true },
    ]);
  });

  test("in fragments of both kinds is read as one", async () => {
    const caller = await connect();
    const text = JSON.stringify({ text: "Héllo.", request_id: "ü" });
    for (const binary of [false, true]) {
      const bytes = Buffer.from(text);
      for (let i = 0; i < bytes.length; i++) {
        caller.socket.send(bytes.subarray(i, i + 1), { binary, fin: i === bytes.length - 1 });
      }
    }
    await caller.answers(2);
    expect(caller.messages().map((message) => message.type)).toEqual([
      "synthesis_start",
      "synthesis_complete",
      "synthesis_start",
      "synthesis_complete",
    ]);
  });

  test("without an id gets one", async () => {
    const caller = await connect();
    caller.send({ text: "Hi." });
    await caller.answers(1);
    const ids = new Set(caller.messages().map((message) => message.request_id));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([8_000, 16_000, 48_000])(
    "is spoken at %i Hz when asked for, in one unbroken tone",
    async (rate) => {
      const caller = await connect({ segmentMs: 130 });
      caller.send({ text: "x".repeat(50), sample_rate: rate });
      await caller.answers(1);
      const audio = caller.audio();
      expect(audio.length / 2).toBe(rate * 3);
      const end = caller.messages().at(-1);
      expect(end).toMatchObject({ type: "synthesis_complete", total_duration_s: 3 });
      // A click at a join would be a step far from the sine. The ends are the sentence's own.
      for (let i = rate * 0.01; i < rate * 2.98; i++) {
        const want = Math.sin((2 * Math.PI * FAKE_PITCH_HZ * i) / rate) * 0.5;
        expect(Math.abs(audio.readInt16LE(i * 2) / 32_768 - want)).toBeLessThan(0.002);
      }
    },
  );

  test("of several sentences is spoken sentence by sentence", async () => {
    const caller = await connect();
    caller.send({ text: "The first one is here. The second one follows it. A third ends it." });
    await caller.answers(1);
    expect(server!.synthesizer.requests.map((request) => request.text)).toEqual([
      "The first one is here.",
      "The second one follows it.",
      "A third ends it.",
    ]);
    expect(caller.types()).toEqual(["synthesis_start", "audio", "synthesis_complete"]);
  });

  test("sends the first sentence before the second is begun", async () => {
    const caller = await connect({ msPerAudioSecond: 200, turnsAtOnce: 1 });
    caller.send({ text: `The first one is here. ${"And a much longer second one follows it. ".repeat(20)}` });
    await caller.until((got) => got.some((part) => part.type === "audio"));
    expect(server!.synthesizer.requests).toHaveLength(1);
  });

  test.each(["...", "?!", "\u{1f600}", "- - -"])(
    "without a letter or digit (%s) is complete with no audio",
    async (text) => {
      const caller = await connect();
      caller.send({ text, request_id: "quiet" });
      await caller.answers(1);
      expect(caller.got).toEqual([
        { type: "synthesis_start", request_id: "quiet" },
        {
          type: "synthesis_complete",
          request_id: "quiet",
          total_duration_s: 0,
          elapsed_s: expect.any(Number),
        },
      ]);
      expect(server!.synthesizer.requests).toMatchObject([]);
    },
  );

  test("is never in a frame longer than 250 ms", async () => {
    const caller = await connect({ segmentMs: 10_000 });
    caller.send({ text: "x".repeat(400) });
    await caller.answers(1);
    const sizes = caller.got.flatMap((part) => (part.type === "audio" ? [part.bytes.length] : []));
    expect(sizes.length).toBeGreaterThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000);
    expect(sizes.every((size) => size % 2 === 0)).toBe(true);
  });
});

describe("several messages", () => {
  test("sent at once are answered strictly in order, refusals in their place", async () => {
    const caller = await connect({ msPerAudioSecond: 20 });
    caller.send({ text: "First.", request_id: "1" });
    caller.send({ text: "", request_id: "2" });
    caller.send({ text: "Third.", request_id: "3" });
    caller.send("nonsense");
    caller.send({ text: "Fifth.", request_id: "5" });
    await caller.answers(5);
    const ends = caller.messages().map((message) => [message.type, message.request_id]);
    expect(ends).toEqual([
      ["synthesis_start", "1"],
      ["synthesis_complete", "1"],
      ["error", "2"],
      ["synthesis_start", "3"],
      ["synthesis_complete", "3"],
      ["error", expect.stringMatching(/./)],
      ["synthesis_start", "5"],
      ["synthesis_complete", "5"],
    ]);
  });

  test("are all spoken before a close behind them ends the session with 1000", async () => {
    const caller = await connect({ msPerAudioSecond: 20 });
    for (const id of ["a", "b", "c"]) caller.send({ text: "Some words.", request_id: id });
    caller.send({ type: "close" });
    caller.send({ text: "Too late.", request_id: "late" });
    expect(await caller.closed).toEqual({ code: 1000, reason: "" });
    expect(caller.messages().filter((message) => message.type === "synthesis_complete")).toHaveLength(3);
    expect(caller.messages().some((message) => message.request_id === "late")).toBe(false);
  });

  test("far more than are read ahead are all answered", async () => {
    const caller = await connect({ msPerChar: 1 });
    const count = 2_000;
    for (let i = 0; i < count; i++) caller.send({ text: "Go.", request_id: String(i) });
    await caller.answers(count);
    const ids = caller
      .messages()
      .flatMap((message) => (message.type === "synthesis_complete" ? [message.request_id] : []));
    expect(ids).toEqual(Array.from({ length: count }, (_, i) => String(i)));
  });
});

describe("bad input", () => {
  const cases: [string, unknown, string, RegExp][] = [
    ["no JSON", "{", "INVALID_REQUEST", /not valid JSON/],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "INVALID_REQUEST", /not valid JSON/],
    ["an array", "[1]", "INVALID_REQUEST", /JSON object, got an array/],
    ["a string", '"hello"', "INVALID_REQUEST", /JSON object, got a string/],
    ["null", "null", "INVALID_REQUEST", /JSON object, got null/],
    ["nothing", "", "INVALID_REQUEST", /not valid JSON/],
    ["no text", {}, "INVALID_REQUEST", /text must be .* got nothing/],
    ["empty text", { text: "" }, "INVALID_REQUEST", /text must be .* got an empty string/],
    ["blank text", { text: " \n\t" }, "INVALID_REQUEST", /text must be .* got an empty string/],
    ["text that is a number", { text: 5 }, "INVALID_REQUEST", /text must be .* got a number/],
    ["text that is an object", { text: {} }, "INVALID_REQUEST", /text must be .* got an object/],
    ["unknown voice", { text: "Hi.", voice: "af_hart" }, "UNKNOWN_VOICE", /nearest are af_heart/],
    ["voice of a wrong type", { text: "Hi.", voice: 1 }, "INVALID_REQUEST", /voice must be/],
    [
      "speed too low",
      { text: "Hi.", speed: 0.4 },
      "INVALID_REQUEST",
      /speed must be .* from 0.5 to 2, got 0.4/,
    ],
    ["speed too high", { text: "Hi.", speed: 2.1 }, "INVALID_REQUEST", /speed must be .* got 2.1/],
    [
      "speed of a wrong type",
      { text: "Hi.", speed: "1" },
      "INVALID_REQUEST",
      /speed must be .* got a string/,
    ],
    [
      "a rate that is not offered",
      { text: "Hi.", sample_rate: 44_100 },
      "INVALID_REQUEST",
      /sample_rate must be/,
    ],
    ["an unknown type", { type: "sing", text: "Hi." }, "INVALID_REQUEST", /type must be/],
    [
      "too long text",
      { text: "word ".repeat(2_100) },
      "TEXT_TOO_LONG",
      /at most 10000 characters, got 10500/,
    ],
    ["a stale stamp", { text: "Hi.", request_timestamp: 1_000 }, "REQUEST_STALE", /^request_stale: .* old/],
  ];

  test.each(cases)(
    "%s is refused with its code and id, and the session lives on",
    async (_, message, code, words) => {
      const caller = await connect();
      const isObject = typeof message === "object" && !Buffer.isBuffer(message);
      caller.send(isObject ? { ...(message as object), request_id: "bad" } : message);
      caller.send({ text: "Still here.", request_id: "good" });
      await caller.answers(2);
      expect(caller.messages()[0]).toEqual({
        type: "error",
        request_id: isObject ? "bad" : expect.stringMatching(/^[0-9a-f-]{36}$/),
        code,
        message: expect.stringMatching(words),
        retryable: code === "REQUEST_STALE",
      });
      expect(caller.messages().at(-1)).toMatchObject({ type: "synthesis_complete", request_id: "good" });
    },
  );

  test("an id of a wrong type is replaced by one of ours", async () => {
    const caller = await connect();
    caller.send({ text: "Hi.", request_id: 7 });
    await caller.answers(1);
    expect(caller.messages()[0]).toMatchObject({
      type: "error",
      code: "INVALID_REQUEST",
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("an oversized message is refused with its id, and the session lives on", async () => {
    const caller = await connect();
    caller.send({ text: "x".repeat(MESSAGE_MAX_BYTES), request_id: "big" });
    caller.send({ text: "Still here.", request_id: "good" });
    await caller.answers(2);
    expect(caller.messages()[0]).toMatchObject({ type: "error", request_id: "big", code: "TEXT_TOO_LONG" });
    expect(caller.messages().at(-1)).toMatchObject({ type: "synthesis_complete", request_id: "good" });
  });

  test("a message too large to hold closes its own connection with 1009, and no other", async () => {
    const caller = await connect();
    const other = await connect();
    caller.send("x".repeat(4 * MESSAGE_MAX_BYTES + 1));
    expect((await caller.closed).code).toBe(1009);
    other.send({ text: "Hello." });
    await other.answers(1);
  });

  test("a text frame that is no UTF-8 closes its connection with 1007, as RFC 6455 wants", async () => {
    const caller = await connect();
    caller.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await caller.closed).code).toBe(1007);
  });

  test("a failure of the model is told with its code, before and in the middle of audio", async () => {
    const caller = await connect();
    caller.send({ text: FAILS_AT_ONCE, request_id: "1" });
    caller.send({ text: `${FAILS_MIDWAY} ${"and on it goes ".repeat(3)}`, request_id: "2" });
    caller.send({ text: "Still here.", request_id: "3" });
    await caller.answers(3);
    expect(caller.types()).toEqual([
      "synthesis_start",
      "error",
      "synthesis_start",
      "audio",
      "error",
      "synthesis_start",
      "audio",
      "synthesis_complete",
    ]);
    const errors = caller.messages().filter((message) => message.type === "error");
    expect(errors.map((error) => [error.request_id, error.code])).toEqual([
      ["1", "SYNTHESIS_FAILED"],
      ["2", "SYNTHESIS_FAILED"],
    ]);
  });

  test("an unforeseen error leaks neither its message nor the text, to the caller or the log", async () => {
    const caller = await connect();
    caller.send({ text: `${LEAKS} secretword`, request_id: "leak" });
    await caller.answers(1);
    expect(caller.messages().at(-1)).toMatchObject({ type: "error", code: "INTERNAL", request_id: "leak" });
    await expect.poll(() => server!.logLines.some((line) => line.request_id === "leak")).toBe(true);
    const everything = JSON.stringify([caller.got, server!.logLines]);
    expect(everything).not.toContain("secretword");
    expect(everything).not.toContain("cannot say");
    const line = server!.logLines.find((entry) => entry.request_id === "leak");
    expect(line).toMatchObject({ level: "error", outcome: "error", error: { name: "Error" } });
    expect((line!.error as { at?: string }).at).toMatch(/^fake-synthesizer\.ts:\d+$/);
  });
});

describe("a full queue", () => {
  test("refuses at once, names the reason, and takes the next when there is room", async () => {
    const options = { turnsAtOnce: 1, queueMax: 0, msPerAudioSecond: 100 };
    const first = await connect(options);
    const second = await connect();
    first.send({ text: "A sentence that takes a while to say, and then some more.", request_id: "1" });
    await first.until((got) => got.length > 0);
    second.send({ text: "No room.", request_id: "2" });
    await second.answers(1);
    expect(second.messages()).toEqual([
      {
        type: "error",
        request_id: "2",
        code: "QUEUE_SATURATED",
        message: expect.stringMatching(/^queue_saturated/),
        retryable: true,
      },
    ]);
    await first.answers(1);
    second.send({ text: "Room.", request_id: "3" });
    await second.answers(2);
    expect(second.messages().at(-1)).toMatchObject({ type: "synthesis_complete", request_id: "3" });
  });

  test("does not refuse the rest of an answer whose first sentence was taken", async () => {
    const first = await connect({ turnsAtOnce: 1, queueMax: 0, msPerAudioSecond: 20 });
    const second = await connect();
    for (let i = 0; i < 6; i++) first.send({ text: "One of six sentences.", request_id: String(i) });
    await first.until((got) => got.length > 0);
    const flood = setInterval(() => second.send({ text: "Let me in." }), 2);
    await first.answers(6);
    clearInterval(flood);
    expect(first.messages().filter((message) => message.type === "error")).toEqual([]);
  });

  test("lets a new caller speak before a long text is through", async () => {
    const long = await connect({ turnsAtOnce: 1, msPerAudioSecond: 30 });
    const short = await connect();
    long.send({ text: "This is one of very many sentences of mine. ".repeat(40) });
    await long.until((got) => got.some((part) => part.type === "audio"));
    short.send({ text: "Just a word." });
    await short.answers(1);
    expect(long.messages().some((message) => message.type === "synthesis_complete")).toBe(false);
    expect(server!.synthesizer.requests.length).toBeLessThan(8);
    expect(server!.synthesizer.mostAtOnce).toBe(1);
  });
});

describe("cancel", () => {
  const LONG = "This goes on and on without any end in sight for a long time";

  test("stops what is spoken and drops what waits, each answered in its place", async () => {
    const caller = await connect({ msPerAudioSecond: 200 });
    for (const id of ["1", "2", "3"]) caller.send({ text: LONG, request_id: id });
    await caller.until((got) => got.some((part) => part.type === "audio"));
    caller.send({ type: "cancel" });
    caller.send({ text: "Next.", request_id: "4" });
    await caller.answers(4);
    expect(caller.messages().map((message) => [message.type, message.request_id])).toEqual([
      ["synthesis_start", "1"],
      ["synthesis_cancelled", "1"],
      ["synthesis_cancelled", "2"],
      ["synthesis_cancelled", "3"],
      ["synthesis_start", "4"],
      ["synthesis_complete", "4"],
    ]);
    expect(server!.synthesizer).toMatchObject({ cancelled: 1, completed: 1, running: 0 });
  });

  test("with an id stops only that message", async () => {
    const caller = await connect({ msPerAudioSecond: 20 });
    for (const id of ["1", "2", "3"]) caller.send({ text: LONG, request_id: id });
    caller.send({ type: "cancel", request_id: "2" });
    await caller.answers(3);
    const ends = caller.messages().filter((message) => message.type !== "synthesis_start");
    expect(ends.map((message) => [message.type, message.request_id])).toEqual([
      ["synthesis_complete", "1"],
      ["synthesis_cancelled", "2"],
      ["synthesis_complete", "3"],
    ]);
  });

  test("of nothing is answered too", async () => {
    const caller = await connect();
    caller.send({ type: "cancel", request_id: "none" });
    caller.send({ type: "cancel" });
    await caller.answers(2);
    expect(caller.messages()).toEqual([
      { type: "synthesis_cancelled", request_id: "none" },
      { type: "synthesis_cancelled", request_id: "" },
    ]);
  });
});

describe("a caller who leaves", () => {
  test.each([
    ["by a clean close", (caller: TestCaller) => caller.socket.close()],
    ["by a broken connection", (caller: TestCaller) => caller.socket.terminate()],
  ])("%s stops the work at once, and what waits is never begun", async (_, leave) => {
    const caller = await connect({ msPerAudioSecond: 300 });
    for (let i = 0; i < 5; i++)
      caller.send({ text: "A rather long sentence of many words, which takes its time." });
    await caller.until((got) => got.some((part) => part.type === "audio"));
    leave(caller);
    const leftAt = performance.now();
    await expect.poll(() => server!.synthesizer.cancelled, { interval: 5 }).toBe(1);
    expect(performance.now() - leftAt).toBeLessThan(500);
    await sleep(50);
    expect(server!.synthesizer).toMatchObject({ running: 0, completed: 0 });
    expect(server!.synthesizer.requests).toHaveLength(1);
    expect(server!.service.admission.inside).toBe(0);
    const lines = server!.logLines.filter((line) => line.event === "utterance");
    expect(lines).toEqual([expect.objectContaining({ outcome: "gone", level: "info" })]);
  });

  test("while it waits for a turn gives its place up", async () => {
    const first = await connect({ turnsAtOnce: 1, msPerAudioSecond: 100 });
    const second = await connect();
    first.send({ text: "This one speaks for quite a while, until it has ended." });
    await first.until((got) => got.length > 0);
    second.send({ text: "This one only waits." });
    await second.until((got) => got.length > 0);
    second.socket.terminate();
    await expect.poll(() => server!.service.admission.inside).toBe(1);
    await first.answers(1);
    expect(server!.synthesizer.requests).toHaveLength(1);
  });
});

describe("a slow reader", () => {
  test("slows the work down, and memory stays bounded", async () => {
    const caller = await connect({ turnsAtOnce: 1 });
    // As if the caller's machine read nothing: 200 sentences are 10 minutes of audio, 29 MB.
    caller.socket.pause();
    caller.send({ text: "This is one of two hundred sentences, all alike. ".repeat(200) });
    await expect.poll(() => stoppedGrowing(() => server!.synthesizer.requests.length)).toBe(true);
    expect(server!.synthesizer.requests.length).toBeLessThan(120);
    caller.socket.resume();
    await caller.answers(1);
    expect(server!.synthesizer.requests).toHaveLength(200);
  });

  test("holds up nobody else", async () => {
    const slow = await connect({ turnsAtOnce: 1 });
    const other = await connect();
    slow.socket.pause();
    slow.send({ text: "This is one of two hundred sentences, all alike. ".repeat(200) });
    await expect.poll(() => stoppedGrowing(() => server!.synthesizer.requests.length)).toBe(true);
    other.send({ text: "Hello." });
    await other.answers(1);
    expect(slow.messages().some((message) => message.type === "synthesis_complete")).toBe(false);
  });

  test("that takes nothing at all is cut off in the end", async () => {
    const caller = await connect({ frames: { stallMs: 200 } });
    caller.socket.pause();
    caller.send({ text: "This is one of two hundred sentences, all alike. ".repeat(200) });
    await expect
      .poll(() => server!.logLines.some((line) => line.event === "session_end"), { timeout: 10_000 })
      .toBe(true);
  });
});

describe("the connection", () => {
  test("is pinged, and ended when pongs stay away", async () => {
    server = await startTestServer({ frames: { pingIntervalMs: 20 } });
    const live = await connect();
    const dead = new TestCaller(server.wsUrl, { autoPong: false });
    callers.push(dead);
    expect((await dead.closed).code).toBe(1006);
    live.send({ text: "Hello." });
    await live.answers(1);
  });

  test("is closed with 1001 when the container shuts down, after what was sent is spoken", async () => {
    const caller = await connect({ msPerAudioSecond: 50 });
    for (const id of ["1", "2"]) caller.send({ text: "Some words to say.", request_id: id });
    await caller.until((got) => got.some((part) => part.type === "audio"));
    const drained = server!.server.drain(5_000);
    expect((await caller.closed).code).toBe(1001);
    expect(await drained).toBe(true);
    expect(caller.messages().filter((message) => message.type === "synthesis_complete")).toHaveLength(2);
  });

  test("is cut when the shut down has taken too long", async () => {
    const caller = await connect({ msPerAudioSecond: 1_000 });
    caller.send({ text: "Some words to say that take far too long for this." });
    await caller.until((got) => got.length > 0);
    expect(await server!.server.drain(50)).toBe(false);
    expect((await caller.closed).code).toBe(1006);
    await expect.poll(() => server!.synthesizer.cancelled).toBe(1);
  });
});

let lastCount = -1;
/** Whether a count is the same as 100 ms ago. */
async function stoppedGrowing(count: () => number): Promise<boolean> {
  lastCount = count();
  await sleep(100);
  return count() === lastCount && lastCount > 0;
}
