/**
 * Calls an agent and yields its events with their times of arrival: by base URL (POST /invocations, server-sent
 * events) or by the ARN of an AgentCore Runtime (the AWS SDK; loaded only then, since it is large).
 */
import { randomUUID } from "node:crypto";
import { SpeechError } from "../errors.ts";
import { type AgentPayloadInput, RUNTIME_SESSION_HEADER, readAgentEvent } from "../protocol/agent-events.ts";
import { INVOCATIONS_PATH } from "../protocol/limits.ts";
import { SseReader } from "../protocol/sse.ts";
import { type AgentArrival, AgentEventLog } from "./agent-events.ts";
import { ERROR_BODY_MAX_BYTES, httpError } from "./http-error.ts";
import { networkError } from "./network-error.ts";
import { USER_AGENT } from "./user-agent.ts";

export type AgentTarget =
  | { readonly kind: "url"; readonly url: URL }
  | {
      readonly kind: "runtime";
      readonly arn: string;
      readonly region: string;
      /** Name of the runtime's endpoint. @default AgentCore's own, DEFAULT, which follows every version */
      readonly endpointName?: string;
    };

export interface AgentCallOptions {
  /** Keeps the agent's memory of a conversation; 33 characters or more. @default a new one each call */
  readonly runtimeSessionId?: string;
  /** Aborting ends the call; the agent sees its caller leave. */
  readonly signal?: AbortSignal;
  /** Monotonic clock, milliseconds. @default performance.now */
  readonly nowMs?: () => number;
}

/** @throws {SpeechError} CONFIGURATION when it is neither a URL nor the ARN of a runtime. */
export function parseAgentTarget(text: string): AgentTarget {
  const arn = /^arn:[a-z-]+:bedrock-agentcore:([a-z0-9-]+):\d{12}:runtime\/[^/\s]+$/.exec(text);
  if (arn) return { kind: "runtime", arn: text, region: arn[1]! };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return { kind: "url", url };
  throw new SpeechError(
    "CONFIGURATION",
    `the agent must be a URL (http://host:port) or the ARN of an AgentCore Runtime, got "${text.slice(0, 120)}"`,
  );
}

/**
 * One prompt, one answer. An `error` event of the agent is yielded, not thrown.
 * @throws {SpeechError} when the agent cannot be reached, refuses, or its answer breaks off.
 */
export async function* callAgent(
  target: AgentTarget,
  payload: AgentPayloadInput,
  options: AgentCallOptions = {},
): AsyncGenerator<AgentArrival, void, undefined> {
  const nowMs = options.nowMs ?? (() => performance.now());
  const runtimeSessionId = options.runtimeSessionId ?? randomUUID();
  const peer = target.kind === "url" ? target.url.host : "the AgentCore runtime";
  const reader = new SseReader();
  const log = new AgentEventLog();
  try {
    for await (const chunk of answerBytes(target, payload, runtimeSessionId, options.signal)) {
      const atMs = nowMs();
      for (const { data } of reader.feed(chunk)) {
        const event = readAgentEvent(data);
        if (event) yield log.take(event, atMs);
      }
    }
  } catch (cause) {
    throw options.signal?.aborted ? options.signal.reason : networkError(cause, peer);
  }
  log.end();
}

async function* answerBytes(
  target: AgentTarget,
  payload: AgentPayloadInput,
  runtimeSessionId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (target.kind === "runtime") {
    const { invokeAgentRuntime } = await import("./agent-runtime.ts");
    yield* invokeAgentRuntime(target, payload, runtimeSessionId, signal);
    return;
  }
  const response = await fetch(new URL(INVOCATIONS_PATH, target.url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "user-agent": USER_AGENT,
      [RUNTIME_SESSION_HEADER]: runtimeSessionId,
    },
    body: JSON.stringify(payload),
    redirect: "error",
    ...(signal && { signal }),
  });
  if (response.status !== 200) {
    throw httpError(response.status, await shortBody(response), target.url.host);
  }
  if (response.body) yield* response.body;
}

async function shortBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let totalBytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    totalBytes += chunk.length;
    if (totalBytes > ERROR_BODY_MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
