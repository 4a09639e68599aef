/** The Bedrock stand-in called by the official AWS SDK. */
import http2 from "node:http2";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type BedrockStandInOptions, startBedrockStandIn } from "../../lib/local/bedrock-stand-in.ts";

const ANSWER = "The first sentence is here. The second one follows it, and it is longer.";
const FAST = { firstTokenMs: 0, tokensPerSecond: 1_000 };
const MODEL_ID = "us.anthropic.claude-sonnet-v1:0";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  while (open.length > 0) await open.pop()!.close();
});

async function system(options: Partial<BedrockStandInOptions> = {}) {
  const bedrock = await startBedrockStandIn({
    host: "127.0.0.1",
    port: 0,
    answer: ANSWER,
    ...FAST,
    ...options,
  });
  const client = new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: bedrock.url,
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
  open.push(bedrock, { close: () => client.destroy() });
  return { bedrock, client };
}

const input = (over: object = {}) => ({
  modelId: MODEL_ID,
  messages: [{ role: "user" as const, content: [{ text: "Tell me." }] }],
  ...over,
});

async function collect(events: AsyncIterable<ConverseStreamOutput>) {
  const all: ConverseStreamOutput[] = [];
  for await (const event of events) all.push(event);
  const text = all.map((event) => event.contentBlockDelta?.delta?.text ?? "").join("");
  return { all, text };
}

test("ConverseStream: the events in Bedrock's order, the answer whole, usage and latency", async () => {
  const { client, bedrock } = await system();
  const { stream } = await client.send(new ConverseStreamCommand(input()));
  const { all, text } = await collect(stream!);
  expect(text).toBe(ANSWER);
  const kinds = all.map((event) => Object.keys(event)[0]);
  const deltas = kinds.filter((kind) => kind === "contentBlockDelta").length;
  expect(kinds).toEqual([
    "messageStart",
    ...Array(deltas).fill("contentBlockDelta"),
    "contentBlockStop",
    "messageStop",
    "metadata",
  ]);
  expect(deltas).toBeGreaterThan(12);
  expect(all[0]!.messageStart).toEqual({ role: "assistant" });
  expect(all.at(-2)!.messageStop).toMatchObject({ stopReason: "end_turn" });
  expect(all.at(-1)!.metadata).toMatchObject({
    usage: { inputTokens: 3, outputTokens: deltas, totalTokens: deltas + 3 },
    metrics: { latencyMs: expect.any(Number) },
  });
  expect(bedrock.stats()).toMatchObject({
    calls: 1,
    active: 0,
    completed: 1,
    cancelled: 0,
    tokensWritten: deltas,
  });
});

test("ConverseStream: paced as asked, first token and rate", async () => {
  const { client } = await system({ firstTokenMs: 150, tokensPerSecond: 100 });
  const began = performance.now();
  const { stream } = await client.send(new ConverseStreamCommand(input()));
  const times: number[] = [];
  for await (const event of stream!) if (event.contentBlockDelta) times.push(performance.now() - began);
  const dueMs = 150 + (times.length - 1) * 10;
  expect(times[0]).toBeGreaterThanOrEqual(145);
  expect(times.at(-1)).toBeGreaterThanOrEqual(dueMs - 5);
  expect(times.at(-1)).toBeLessThan(dueMs + 150);
});

test("ConverseStream: maxTokens cuts and says so", async () => {
  const { client } = await system();
  const { stream } = await client.send(
    new ConverseStreamCommand(input({ inferenceConfig: { maxTokens: 3 } })),
  );
  const { all, text } = await collect(stream!);
  expect(ANSWER.startsWith(text)).toBe(true);
  expect(all.filter((event) => event.contentBlockDelta)).toHaveLength(3);
  expect(all.at(-2)!.messageStop!.stopReason).toBe("max_tokens");
});

test("Converse: the same answer in one piece", async () => {
  const { client } = await system();
  const output = await client.send(new ConverseCommand(input()));
  expect(output.output?.message?.content?.[0]?.text).toBe(ANSWER);
  expect(output.stopReason).toBe("end_turn");
  expect(output.usage!.totalTokens).toBe(output.usage!.inputTokens! + output.usage!.outputTokens!);
});

describe("a caller that leaves stops the model", () => {
  test("by the SDK's abort signal", async () => {
    const { client, bedrock } = await system({ tokensPerSecond: 50 });
    const stop = new AbortController();
    const { stream } = await client.send(new ConverseStreamCommand(input()), { abortSignal: stop.signal });
    let seen = 0;
    try {
      for await (const event of stream!) {
        if (event.contentBlockDelta && ++seen === 3) stop.abort();
      }
    } catch {
      // the SDK may throw or end; what counts is what the model's side sees
    }
    await vi.waitFor(() => expect(bedrock.stats().cancelled).toBe(1), 500);
    const written = bedrock.stats().tokensWritten;
    expect(written).toBeLessThan(8);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(bedrock.stats()).toMatchObject({ tokensWritten: written, active: 0 });
    expect(bedrock.stats().recent[0]).toMatchObject({ outcome: "cancelled", tokensWritten: written });
  });

  test.each([["CANCEL"], ["NO_ERROR"]] as const)("by a stream reset with %s", async (code) => {
    const { bedrock } = await system({ tokensPerSecond: 50 });
    const session = http2.connect(bedrock.url);
    open.push(session);
    const stream = session.request({
      ":method": "POST",
      ":path": `/model/${encodeURIComponent(MODEL_ID)}/converse-stream`,
    });
    stream.on("error", () => {});
    stream.end(JSON.stringify({ messages: input().messages }));
    stream.resume();
    await vi.waitFor(() => expect(bedrock.stats().tokensWritten).toBeGreaterThan(1));
    stream.close(http2.constants[`NGHTTP2_${code}`]);
    await vi.waitFor(() => expect(bedrock.stats()).toMatchObject({ cancelled: 1, active: 0 }), 500);
    expect(bedrock.stats().tokensWritten).toBeLessThan(10);
  });

  test("the counts can be read over HTTP", async () => {
    const { bedrock } = await system();
    const stats = await (await fetch(`${bedrock.url}/_stats`)).json();
    expect(stats).toEqual({
      calls: 0,
      active: 0,
      completed: 0,
      cancelled: 0,
      failed: 0,
      tokensWritten: 0,
      recent: [],
    });
  });
});

test("a slow reader holds the stream back and gets all of it", async () => {
  const { client, bedrock } = await system({ answer: "word ".repeat(20_000), tokensPerSecond: 10_000_000 });
  const { stream } = await client.send(new ConverseStreamCommand(input()));
  const events = stream![Symbol.asyncIterator]();
  await events.next();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(bedrock.stats().tokensWritten).toBeLessThan(20_000);
  let text = "";
  for (let next = await events.next(); !next.done; next = await events.next()) {
    text += next.value.contentBlockDelta?.delta?.text ?? "";
  }
  expect(text.length).toBe(100_000);
});

describe("refusals and faults arrive as the SDK's own exceptions", () => {
  test("fails: a model id that is none", async () => {
    const { client } = await system();
    await expect(
      client.send(new ConverseStreamCommand(input({ modelId: "nonsense" }))),
    ).rejects.toMatchObject({
      name: "ValidationException",
      message: "The provided model identifier is invalid.",
      $metadata: { httpStatusCode: 400 },
    });
  });

  test("fails: throttled, for as many calls as asked", async () => {
    const { client } = await system({ fault: { kind: "throttle", calls: 1 } });
    await expect(client.send(new ConverseStreamCommand(input()))).rejects.toMatchObject({
      name: "ThrottlingException",
      $metadata: { httpStatusCode: 429 },
    });
    const { stream } = await client.send(new ConverseStreamCommand(input()));
    expect((await collect(stream!)).text).toBe(ANSWER);
  });

  test("fails: unavailable", async () => {
    const { client } = await system({ fault: { kind: "unavailable" } });
    await expect(client.send(new ConverseStreamCommand(input()))).rejects.toMatchObject({
      name: "ServiceUnavailableException",
    });
  });

  test("fails: an exception in the middle of the stream", async () => {
    const { client, bedrock } = await system({ fault: { kind: "stream-exception", afterTokens: 4 } });
    const { stream } = await client.send(new ConverseStreamCommand(input()));
    await expect(collect(stream!)).rejects.toMatchObject({ name: "ModelStreamErrorException" });
    expect(bedrock.stats()).toMatchObject({ failed: 1, tokensWritten: 4 });
  });

  test("fails: the connection is lost in the middle", async () => {
    const { bedrock } = await system({ fault: { kind: "disconnect", afterTokens: 2 } });
    const session = http2.connect(bedrock.url);
    open.push(session);
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": `/model/${encodeURIComponent(MODEL_ID)}/converse-stream`,
    });
    stream.on("error", () => {});
    stream.end(JSON.stringify({ messages: input().messages }));
    stream.resume();
    await new Promise((resolve) => session.on("close", resolve));
    expect(bedrock.stats()).toMatchObject({ failed: 1, tokensWritten: 2, active: 0 });
  });

  test("fails: it stalls until the caller leaves", async () => {
    const { client, bedrock } = await system({ fault: { kind: "stall", afterTokens: 2 } });
    const stop = new AbortController();
    const { stream } = await client.send(new ConverseStreamCommand(input()), { abortSignal: stop.signal });
    const reading = collect(stream!).catch(() => {});
    await vi.waitFor(() => expect(bedrock.stats().tokensWritten).toBe(2));
    stop.abort();
    await reading;
    await vi.waitFor(() => expect(bedrock.stats()).toMatchObject({ cancelled: 1, active: 0 }), 500);
  });
});
