/** The AgentCore stand-in between the official AWS SDK and a small agent. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BedrockAgentCoreClient, InvokeAgentRuntimeCommand } from "@aws-sdk/client-bedrock-agentcore";
import { afterEach, expect, test } from "vitest";
import { startAgentCoreFrontDoor } from "../../lib/local/agentcore-front-door.ts";
import { CREDENTIALS, secretFor } from "../helpers/bidi-test-client.ts";

const ARN = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/voice_agent-0123456789";
const SESSION_ID = "session-0123456789-0123456789-0123456789";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  while (open.length > 0) await open.pop()!.close();
});

type Agent = (request: http.IncomingMessage, body: string, response: http.ServerResponse) => void;

async function system(agent: Agent, secret = CREDENTIALS.secretAccessKey) {
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    agent(request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const frontDoor = await startAgentCoreFrontDoor({
    host: "127.0.0.1",
    port: 0,
    runtimes: { [ARN]: url },
    secretFor,
  });
  const client = new BedrockAgentCoreClient({
    region: "us-east-1",
    endpoint: frontDoor.url,
    credentials: { ...CREDENTIALS, secretAccessKey: secret },
    maxAttempts: 1,
  });
  const closeAgent = () => {
    server.closeAllConnections();
    server.close();
  };
  open.push({ close: closeAgent }, frontDoor, { close: () => client.destroy() });
  const invoke = (over: object = {}, signal?: AbortSignal) =>
    client.send(
      new InvokeAgentRuntimeCommand({
        agentRuntimeArn: ARN,
        runtimeSessionId: SESSION_ID,
        contentType: "application/json",
        accept: "text/event-stream",
        payload: new TextEncoder().encode('{"prompt":"hi"}'),
        ...over,
      }),
      signal ? { abortSignal: signal } : {},
    );
  return { invoke };
}

test("payload and session reach the agent, its answer streams back as it is written", async () => {
  const seen: { url?: string; session?: unknown; accept?: string; body?: string } = {};
  const { invoke } = await system(async (request, body, response) => {
    Object.assign(seen, {
      url: request.url,
      session: request.headers["x-amzn-bedrock-agentcore-runtime-session-id"],
      accept: request.headers.accept,
      body,
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    await delay(150);
    response.end("data: 2\n\n");
  });
  const output = await invoke();
  expect(output).toMatchObject({
    contentType: "text/event-stream",
    runtimeSessionId: SESSION_ID,
    statusCode: 200,
  });
  const times: number[] = [];
  let text = "";
  for await (const chunk of output.response as unknown as AsyncIterable<Uint8Array>) {
    times.push(performance.now());
    text += Buffer.from(chunk).toString();
  }
  expect(text).toBe("data: 1\n\ndata: 2\n\n");
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(100);
  expect(seen).toEqual({
    url: "/invocations",
    session: SESSION_ID,
    accept: "text/event-stream",
    body: '{"prompt":"hi"}',
  });
});

test("a caller that names no session gets one", async () => {
  const { invoke } = await system((request, _body, response) => {
    response.end(String(request.headers["x-amzn-bedrock-agentcore-runtime-session-id"]));
  });
  const output = await invoke({ runtimeSessionId: undefined });
  expect(output.runtimeSessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await output.response!.transformToString()).toBe(output.runtimeSessionId);
});

test("a caller that leaves ends the agent's request", async () => {
  const left = Promise.withResolvers<void>();
  const { invoke } = await system((_request, _body, response) => {
    response.on("close", () => left.resolve());
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  });
  const stop = new AbortController();
  const output = await invoke({}, stop.signal);
  stop.abort();
  (output.response as unknown as { destroy(): void }).destroy();
  await left.promise;
});

test.each<[string, object, string | undefined, string]>([
  ["unknown ARN", { agentRuntimeArn: `${ARN}x` }, undefined, "ResourceNotFoundException"],
  ["session id too short", { runtimeSessionId: "short" }, undefined, "ValidationException"],
  ["wrong secret", {}, "x", "InvalidSignatureException"],
])("fails: %s", async (_name, over, secret, name) => {
  const { invoke } = await system((_request, _body, response) => response.end("no"), secret);
  await expect(invoke(over)).rejects.toMatchObject({ name });
});

test("fails with RuntimeClientError when the agent answers an error", async () => {
  const { invoke } = await system((_request, _body, response) => {
    response.writeHead(500);
    response.end("secret details");
  });
  await expect(invoke()).rejects.toMatchObject({
    name: "RuntimeClientError",
    message: expect.not.stringContaining("secret details"),
  });
});
