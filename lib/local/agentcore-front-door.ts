/**
 * Stand-in for AgentCore Runtime's data plane: `POST /runtimes/{ARN}/invocations` of the official SDK goes to an
 * agent's own `POST /invocations`, and its answer streams back. With it a caller that knows only an ARN can be
 * tried on one machine (`AWS_ENDPOINT_URL_BEDROCK_AGENTCORE`).
 */
import { randomUUID } from "node:crypto";
import http from "node:http";
import { INVOCATIONS_PATH } from "../protocol/limits.ts";
import { AwsFault } from "./aws-fault.ts";
import { answerFault, readBody, write } from "./http-exchange.ts";
import { type HttpRequest, type HttpResponse, type ListenOptions, listenHttp } from "./http-listener.ts";
import type { RunningStandIn } from "./sagemaker-front-door.ts";
import { RequestSignature, type SecretFor, sha256Hex } from "./signature.ts";

export interface AgentCoreFrontDoorOptions extends ListenOptions {
  /** Runtime ARN -> base URL of its agent. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** When given, signatures are checked. */
  readonly secretFor?: SecretFor;
  readonly nowMs?: () => number;
  /** AgentCore's limit for one synchronous request: 15 minutes. Source: AgentCore quotas, "Request timeout". */
  readonly requestTimeoutMs?: number;
}

/** AgentCore quotas: payload at most 100 MB. Ours is smaller, as bodies are held in memory here. */
const REQUEST_MAX_BYTES = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 15 * 60_000;
const SESSION_HEADER = "x-amzn-bedrock-agentcore-runtime-session-id";
/** API reference, InvokeAgentRuntime, runtimeSessionId. */
const SESSION_ID_MIN_CHARS = 33;
const SESSION_ID_MAX_CHARS = 256;
const PASSED_HEADERS = [
  "content-type",
  "accept",
  "x-amzn-bedrock-agentcore-runtime-user-id",
  "mcp-session-id",
];
const OPERATION = /^\/runtimes\/([^/]+)\/invocations$/;

/** @throws {SpeechError} CONFIGURATION when the port is taken. */
export function startAgentCoreFrontDoor(options: AgentCoreFrontDoorOptions): Promise<RunningStandIn> {
  return listenHttp(options, (request, response) => {
    handle(options, request, response).catch((error) => answerFault(request, response, error, randomUUID()));
  });
}

async function handle(
  options: AgentCoreFrontDoorOptions,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const target = request.url ?? "/";
  const match = OPERATION.exec(target.split("?")[0]!);
  if (!match || request.method !== "POST") {
    throw new AwsFault(404, "UnknownOperationException", "no such operation");
  }
  const signature =
    options.secretFor &&
    new RequestSignature(
      { method: "POST", target, header: (name) => headerOf(request, name) },
      { service: "bedrock-agentcore", secretFor: options.secretFor, nowMs: options.nowMs ?? Date.now },
    );
  const body = await readBody(request, REQUEST_MAX_BYTES);
  signature?.verify(sha256Hex(body));
  const arn = decodeURIComponent(match[1]!.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
  const agentUrl = Object.hasOwn(options.runtimes, arn) ? options.runtimes[arn] : undefined;
  if (agentUrl === undefined) {
    throw new AwsFault(404, "ResourceNotFoundException", `No endpoint or agent found with the ARN ${arn}`);
  }
  const sessionId = sessionOf(request);
  const stop = AbortSignal.timeout(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const gone = new AbortController();
  response.on("close", () => gone.abort(new Error("the caller left")));
  const answer = await callAgent(new URL(INVOCATIONS_PATH, agentUrl), request, body, sessionId, [
    stop,
    gone.signal,
  ]);
  await passBack(answer, response, sessionId);
}

/** A caller that names no session gets a new one, as the service does. @throws {AwsFault} ValidationException */
function sessionOf(request: HttpRequest): string {
  const given = headerOf(request, SESSION_HEADER);
  if (given === undefined) return randomUUID();
  if (given.length < SESSION_ID_MIN_CHARS || given.length > SESSION_ID_MAX_CHARS) {
    const message = `runtimeSessionId must have ${SESSION_ID_MIN_CHARS} to ${SESSION_ID_MAX_CHARS} characters, got ${given.length}`;
    throw new AwsFault(400, "ValidationException", message);
  }
  return given;
}

function callAgent(
  url: URL,
  request: HttpRequest,
  body: Buffer,
  sessionId: string,
  signals: AbortSignal[],
): Promise<http.IncomingMessage> {
  const headers: Record<string, string | number> = {
    "content-length": body.length,
    [SESSION_HEADER]: sessionId,
  };
  for (const name of PASSED_HEADERS) {
    const value = headerOf(request, name);
    if (value !== undefined) headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const call = http.request(url, { method: "POST", headers, signal: AbortSignal.any(signals) });
    call.on("response", resolve);
    call.on("error", () => {
      reject(
        new AwsFault(502, "RuntimeClientError", "the agent's runtime cannot be reached or gave no answer"),
      );
    });
    call.end(body);
  });
}

async function passBack(
  answer: http.IncomingMessage,
  response: HttpResponse,
  sessionId: string,
): Promise<void> {
  const status = answer.statusCode ?? 500;
  if (status < 200 || status > 299) {
    answer.resume();
    const message = `Received error (${status}) from runtime. Please check your CloudWatch logs for more information.`;
    throw new AwsFault(424, "RuntimeClientError", message);
  }
  (response as http.ServerResponse).writeHead(status, {
    "content-type": answer.headers["content-type"] ?? "application/json",
    "x-amzn-requestid": randomUUID(),
    [SESSION_HEADER]: sessionId,
  });
  (response as http.ServerResponse).flushHeaders?.();
  for await (const chunk of answer) await write(response, chunk as Buffer);
  response.end();
}

function headerOf(request: HttpRequest, name: string): string | undefined {
  const value =
    name === "host" ? (request.headers.host ?? request.headers[":authority"]) : request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}
