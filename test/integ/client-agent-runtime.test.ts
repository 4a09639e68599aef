/** The agent by its ARN: our client and the AWS SDK against AgentCore's stand-in and a small agent behind it. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callAgent, parseAgentTarget } from "../../lib/client/agent-client.ts";
import type { AgentArrival } from "../../lib/client/agent-events.ts";
import { startAgentCoreFrontDoor } from "../../lib/local/agentcore-front-door.ts";

vi.setConfig({ testTimeout: 15_000 });

const ARN = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/voice_agent-0123456789";
const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", CREDENTIALS.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", CREDENTIALS.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function system(agent: http.RequestListener, secret = CREDENTIALS.secretAccessKey): Promise<void> {
  const server = http.createServer(agent);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const frontDoor = await startAgentCoreFrontDoor({
    host: "127.0.0.1",
    port: 0,
    runtimes: { [ARN]: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    secretFor: () => secret,
  });
  cleanups.push(() => frontDoor.close());
  vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", frontDoor.url);
}

async function ask(arn = ARN, signal?: AbortSignal): Promise<{ arrivals: AgentArrival[]; thrown: unknown }> {
  const arrivals: AgentArrival[] = [];
  try {
    const options = signal ? { signal } : {};
    for await (const arrival of callAgent(parseAgentTarget(arn), { prompt: "Hi" }, options))
      arrivals.push(arrival);
    return { arrivals, thrown: undefined };
  } catch (thrown) {
    return { arrivals, thrown };
  }
}

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const START = { type: "agent_start", request_id: "r", mode: "bidi" };

describe("an agent behind AgentCore", () => {
  it("answers as one by URL does", async () => {
    await system((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(sse(START, { type: "text_delta", seq: 0, text: "Hello." }, { type: "agent_end" }));
    });
    const { arrivals, thrown } = await ask();
    expect(thrown).toBeUndefined();
    expect(arrivals.map(({ event }) => event.type)).toEqual(["agent_start", "text_delta", "agent_end"]);
  });

  it("throws when the answer is cut off", async () => {
    await system((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(sse(START), () => setTimeout(() => response.destroy(), 30));
    });
    const { arrivals, thrown } = await ask();
    expect(arrivals).toHaveLength(1);
    expect(thrown).toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("throws the signal's reason, and the agent sees its caller leave", async () => {
    const left = Promise.withResolvers<void>();
    await system((_request, response) => {
      response.on("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(sse(START));
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    expect((await ask(ARN, controller.signal)).thrown).toBe(controller.signal.reason);
    await left.promise;
    const gone = AbortSignal.abort();
    expect((await ask(ARN, gone)).thrown).toBe(gone.reason);
  });

  it("is asked once only, even when it fails", async () => {
    let requests = 0;
    await system((_request, response) => {
      requests++;
      response.writeHead(500).end("{}");
    });
    expect((await ask()).thrown).toMatchObject({ name: "SpeechError" });
    expect(requests).toBe(1);
  });

  it("says what to do about a runtime that does not exist, and about credentials that are refused", async () => {
    await system(() => {}, "another secret");
    expect((await ask()).thrown).toMatchObject({ code: "ACCESS_DENIED" });
    expect((await ask(`${ARN}x`)).thrown).toMatchObject({ name: "SpeechError", retryable: false });
  });
});
