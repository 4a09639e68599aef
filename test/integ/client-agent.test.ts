/** The agent's clients against small servers that answer well, badly, and in pieces. All on loopback, all bounded. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { callAgent } from "../../lib/client/agent-client.ts";
import type { AgentArrival } from "../../lib/client/agent-events.ts";
import { callAgentWebSocket } from "../../lib/client/agent-websocket.ts";
import type { AgentEvent } from "../../lib/protocol/agent-events.ts";

vi.setConfig({ testTimeout: 10_000 });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: http.Server): Promise<URL> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function drain(
  arrivals: AsyncIterable<AgentArrival>,
): Promise<{ arrivals: AgentArrival[]; thrown: unknown }> {
  const all: AgentArrival[] = [];
  try {
    for await (const arrival of arrivals) all.push(arrival);
    return { arrivals: all, thrown: undefined };
  } catch (thrown) {
    return { arrivals: all, thrown };
  }
}

const PCM = Buffer.from([1, 2, 3, 4]);
const ANSWER: AgentEvent[] = [
  { type: "agent_start", request_id: "r", mode: "bidi" },
  { type: "text_delta", seq: 0, text: "Grüße, 世界." },
  { type: "audio_stream_start", format: "pcm16", voice: "af_heart", sample_rate: 24_000 },
  { type: "audio_chunk", seq: 0, data: PCM.toString("base64") },
  { type: "audio_chunk", seq: 1, data: PCM.toString("base64") },
  { type: "audio_stream_end", total_chunks: 2, duration_s: 0.1 },
  { type: "agent_end" },
];
const sse = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

describe("callAgent by URL", () => {
  /** Answers with these bytes, in chunks of so many. */
  async function answer(
    body: string,
    chunkBytes: number,
    end = true,
  ): Promise<{ url: URL; requests: http.IncomingMessage[]; bodies: string[] }> {
    const requests: http.IncomingMessage[] = [];
    const bodies: string[] = [];
    const server = http.createServer(async (request, response) => {
      requests.push(request);
      let text = "";
      for await (const chunk of request) text += chunk;
      bodies.push(text);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const bytes = Buffer.from(body);
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        response.write(bytes.subarray(at, at + chunkBytes));
        await sleep(0);
      }
      if (end) response.end();
      else response.socket?.destroy();
    });
    return { url: await listen(server), requests, bodies };
  }

  it.each([1, 7, 100_000])(
    "yields every event, audio decoded, from chunks of %d bytes",
    async (chunkBytes) => {
      const { url, requests, bodies } = await answer(sse(ANSWER), chunkBytes);
      let clockMs = 0;
      const options = { runtimeSessionId: "session-of-thirty-three-characters!!", nowMs: () => ++clockMs };
      const { arrivals, thrown } = await drain(
        callAgent({ kind: "url", url }, { prompt: "Hi", mode: "bidi" }, options),
      );
      expect(thrown).toBeUndefined();
      expect(arrivals.map(({ event }) => event)).toEqual(ANSWER);
      expect(arrivals.filter(({ audio }) => audio).map(({ audio }) => Buffer.from(audio!))).toEqual([
        PCM,
        PCM,
      ]);
      const times = arrivals.map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(requests[0]!.url).toBe("/invocations");
      expect(requests[0]!.headers).toMatchObject({
        accept: "text/event-stream",
        "x-amzn-bedrock-agentcore-runtime-session-id": "session-of-thirty-three-characters!!",
      });
      expect(JSON.parse(bodies[0]!)).toEqual({ prompt: "Hi", mode: "bidi" });
    },
  );

  it("yields an error event, and takes it for an end", async () => {
    const events = [ANSWER[0]!, { type: "error", message: "no", code: "THROTTLED" }];
    const { url } = await answer(sse(events), 1_000);
    const { arrivals, thrown } = await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }));
    expect(thrown).toBeUndefined();
    expect(arrivals.at(-1)?.event).toEqual(events[1]);
  });

  it("ignores events of unknown types", async () => {
    const { url } = await answer(sse([{ type: "word_timing" }, ...ANSWER]), 1_000);
    expect((await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }))).arrivals).toHaveLength(
      ANSWER.length,
    );
  });

  it.each<[string, AgentEvent[], boolean, string]>([
    ["ends before agent_end", ANSWER.slice(0, 4), true, "TRANSPORT_FAILED"],
    ["is cut off", ANSWER.slice(0, 4), false, "TRANSPORT_FAILED"],
    ["is empty", [], true, "TRANSPORT_FAILED"],
    ["lost audio", ANSWER.filter((_, i) => i !== 3), true, "PROTOCOL_VIOLATION"],
    [
      "has audio that is not base64",
      [{ type: "audio_chunk", seq: 0, data: "%%%%" }],
      true,
      "PROTOCOL_VIOLATION",
    ],
  ])("throws on an answer that %s", async (_name, events, end, code) => {
    const { url } = await answer(sse(events), 1_000, end);
    expect((await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }))).thrown).toMatchObject({ code });
  });

  it.each([
    [400, { error: { code: "INVALID_REQUEST", message: "prompt must be a string" } }, "INVALID_REQUEST"],
    [500, { error: "boom: /secret/path" }, "TRANSPORT_FAILED"],
    [503, "busy", "MODEL_NOT_READY"],
    [404, "<html>", "NOT_FOUND"],
  ])("throws on HTTP %d, and quotes only our own servers", async (status, body, code) => {
    const server = http.createServer((_request, response) => {
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const { thrown } = await drain(callAgent({ kind: "url", url: await listen(server) }, { prompt: "Hi" }));
    expect(thrown).toMatchObject({ code, details: { httpStatus: status } });
    expect((thrown as Error).message).not.toContain("/secret/path");
  });

  it("throws when nobody listens", async () => {
    const server = http.createServer();
    const url = await listen(server);
    server.close();
    await once(server, "close");
    expect((await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }))).thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringContaining("refused the connection"),
    });
  });

  it("throws the signal's reason, and the agent sees its caller leave", async () => {
    const left = Promise.withResolvers<void>();
    const server = http.createServer((_request, response) => {
      response.on("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(sse(ANSWER.slice(0, 2)));
    });
    const url = await listen(server);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const options = { signal: controller.signal };
    const { arrivals, thrown } = await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }, options));
    expect(arrivals).toHaveLength(2);
    expect(thrown).toBe(controller.signal.reason);
    await left.promise;
    const gone = { signal: AbortSignal.abort() };
    expect((await drain(callAgent({ kind: "url", url }, { prompt: "Hi" }, gone))).thrown).toBe(
      gone.signal.reason,
    );
  });

  it("lets the agent see its caller leave when the reader stops early", async () => {
    const left = Promise.withResolvers<void>();
    const server = http.createServer((_request, response) => {
      response.on("close", () => left.resolve());
      response.write(sse(ANSWER.slice(0, 2)));
    });
    const url = await listen(server);
    for await (const _arrival of callAgent({ kind: "url", url }, { prompt: "Hi" })) break;
    await left.promise;
  });

  it("slows the agent down for a listener who does not read", async () => {
    let takenBytes = 0;
    const server = http.createServer((_request, response) => {
      const event = sse([{ type: "text_delta", seq: 0, text: "x".repeat(50_000) }]);
      let left = 600;
      const more = () => {
        takenBytes += event.length;
        if (--left === 0) response.end(sse([{ type: "agent_end" }]));
        else response.write(event, more);
      };
      response.write(event, more);
    });
    const arrivals = callAgent({ kind: "url", url: await listen(server) }, { prompt: "Hi" });
    await arrivals.next();
    let before = -1;
    while (takenBytes > before) {
      before = takenBytes;
      await sleep(200);
    }
    // The kernel's buffers hold some megabytes; the 30 MB do not pass.
    expect(takenBytes).toBeLessThan(15_000_000);
    let count = 1;
    while (!(await arrivals.next()).done) count++;
    expect(count).toBe(601);
  });
});

describe("callAgentWebSocket", () => {
  async function serve(
    onPayload: (socket: WebSocket, payload: string, request: http.IncomingMessage) => void,
  ): Promise<URL> {
    const server = http.createServer();
    const wss = new WebSocketServer({ server });
    wss.on("connection", (socket, request) => {
      socket.on("error", () => {});
      socket.on("message", (data) => onPayload(socket, String(data), request));
    });
    cleanups.push(() => wss.clients.forEach((client) => void client.terminate()));
    return listen(server);
  }

  function say(socket: WebSocket, events: readonly object[]): void {
    for (const event of events) {
      if ((event as AgentEvent).type === "audio_chunk") socket.send(PCM);
      else socket.send(JSON.stringify(event));
    }
  }

  it("yields the same events, with audio from binary frames, and closes after agent_end", async () => {
    const closed = Promise.withResolvers<number>();
    const seen: string[] = [];
    const url = await serve((socket, payload, request) => {
      seen.push(request.url ?? "", payload);
      socket.on("close", (code) => closed.resolve(code));
      say(socket, ANSWER);
    });
    const { arrivals, thrown } = await drain(callAgentWebSocket(url, { prompt: "Hi" }));
    expect(thrown).toBeUndefined();
    expect(arrivals.map(({ event }) => event.type)).toEqual(ANSWER.map(({ type }) => type));
    expect(
      arrivals.filter(({ audio }) => audio).map(({ audio, event }) => [event, Buffer.from(audio!)]),
    ).toEqual([
      [{ type: "audio_chunk", seq: 0, data: "" }, PCM],
      [{ type: "audio_chunk", seq: 1, data: "" }, PCM],
    ]);
    expect(seen).toEqual(["/ws", '{"prompt":"Hi"}']);
    expect(await closed.promise).toBe(1000);
  });

  it("plays a binary frame that looks like an event", async () => {
    const url = await serve((socket) => {
      socket.send(Buffer.from('{"type":"agent_end"}'));
      say(socket, [{ type: "agent_end" }]);
    });
    const { arrivals } = await drain(callAgentWebSocket(url, { prompt: "Hi" }));
    expect(arrivals.map(({ event }) => event.type)).toEqual(["audio_chunk", "agent_end"]);
  });

  it.each<[string, (socket: WebSocket) => void, string]>([
    ["closes before agent_end", (socket) => socket.close(1000), "TRANSPORT_FAILED"],
    ["vanishes", (socket) => socket.terminate(), "TRANSPORT_FAILED"],
    ["sends base64 audio", (socket) => socket.send(JSON.stringify(ANSWER[3])), "PROTOCOL_VIOLATION"],
    ["sends what is no event", (socket) => socket.send("hello"), "PROTOCOL_VIOLATION"],
    ["loses audio", (socket) => say(socket, [ANSWER[2]!, ANSWER[3]!, ANSWER[5]!]), "PROTOCOL_VIOLATION"],
  ])("throws on an agent that %s", async (_name, act, code) => {
    const url = await serve((socket) => act(socket));
    expect((await drain(callAgentWebSocket(url, { prompt: "Hi" }))).thrown).toMatchObject({ code });
  });

  it("throws the signal's reason, and the agent sees its caller leave", async () => {
    const left = Promise.withResolvers<void>();
    const url = await serve((socket) => {
      socket.on("close", () => left.resolve());
      say(socket, ANSWER.slice(0, 2));
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const options = { signal: controller.signal };
    const { arrivals, thrown } = await drain(callAgentWebSocket(url, { prompt: "Hi" }, options));
    expect(arrivals).toHaveLength(2);
    expect(thrown).toBe(controller.signal.reason);
    await left.promise;
  });
});
