/**
 * Calls an agent over its `/ws`: the same events as server-sent ones, but audio comes as binary frames without
 * base64. One connection serves one prompt here.
 */
import { randomUUID } from "node:crypto";
import { SpeechError } from "../errors.ts";
import { type AgentPayloadInput, RUNTIME_SESSION_HEADER, readAgentEvent } from "../protocol/agent-events.ts";
import { AGENT_WS_PATH } from "../protocol/limits.ts";
import type { AgentCallOptions } from "./agent-client.ts";
import { type AgentArrival, AgentEventLog } from "./agent-events.ts";
import { WebSocketConnection } from "./websocket-connection.ts";

/**
 * @param url the agent's base URL; its path is replaced.
 * @throws {SpeechError} when the agent cannot be reached, refuses, or its answer breaks off.
 */
export async function* callAgentWebSocket(
  url: URL,
  payload: AgentPayloadInput,
  options: AgentCallOptions = {},
): AsyncGenerator<AgentArrival, void, undefined> {
  const nowMs = options.nowMs ?? (() => performance.now());
  const connection = new WebSocketConnection({
    url: new URL(AGENT_WS_PATH, url),
    headers: { [RUNTIME_SESSION_HEADER]: options.runtimeSessionId ?? randomUUID() },
    ...(options.signal && { signal: options.signal }),
  });
  const log = new AgentEventLog();
  // Not awaited: should it fail, the messages below throw the same reason.
  connection.send(JSON.stringify(payload)).catch(() => {});
  for await (const { bytes, isBinary } of connection.messages) {
    const atMs = nowMs();
    if (isBinary) {
      yield log.takeAudio(bytes, atMs);
      continue;
    }
    const event = readAgentEvent(Buffer.from(bytes).toString("utf8"));
    if (!event) continue;
    if (event.type === "audio_chunk") {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        "the agent sent base64 audio on /ws, where audio is binary",
      );
    }
    yield log.take(event, atMs);
    // One prompt a connection: its end is ours to declare, an agent may wait for the next. An error is the last
    // event of a turn, as agent_end is.
    if (event.type === "agent_end" || event.type === "error") connection.close();
  }
  log.end();
}
