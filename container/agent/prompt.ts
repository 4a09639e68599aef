/**
 * A caller's payload made into a turn: defaults filled in, the request named. Shared by `/invocations` and `/ws`,
 * so that both refuse the same things with the same words.
 */
import { randomUUID } from "node:crypto";
import type { RequestContext } from "bedrock-agentcore/runtime";
import { SpeechError } from "../../lib/errors.ts";
import { readAgentPayload } from "../../lib/protocol/agent-events.ts";
import { SPEED_DEFAULT, VOICE_DEFAULT } from "../../lib/protocol/limits.ts";
import type { TurnRequest } from "./turn.ts";

/** AgentCore's are 33 to 256 characters (API reference, InvokeAgentRuntime). */
const SESSION_ID_MAX_CHARS = 256;
/** Leaves room for the sentence's number within the wire's limit on request ids. */
const CALLER_REQUEST_ID = /^[\w.:-]{1,64}$/;

/** @throws {SpeechError} INVALID_REQUEST that names what is wrong. */
export function readTurnRequest(
  payload: unknown,
  { requestId, endpointName }: { requestId: string; endpointName: string },
): TurnRequest {
  const { prompt, mode, voice, speed, endpoint, normalize, lexicon } = readAgentPayload(payload);
  return {
    requestId,
    mode,
    prompt,
    voice: voice ?? VOICE_DEFAULT,
    speed: speed ?? SPEED_DEFAULT,
    endpointName: endpoint ?? endpointName,
    wording: { normalize, lexicon },
  };
}

/** @throws {SpeechError} INVALID_REQUEST */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SpeechError("INVALID_REQUEST", 'the payload is not valid JSON; send {"prompt": "..."}', {
      cause,
    });
  }
}

/** @throws {SpeechError} INVALID_REQUEST */
export function readRuntimeSessionId({ sessionId }: RequestContext): string {
  if (sessionId.length > SESSION_ID_MAX_CHARS) {
    throw new SpeechError(
      "INVALID_REQUEST",
      `the session id must have at most ${SESSION_ID_MAX_CHARS} characters, got ${sessionId.length}`,
    );
  }
  return sessionId;
}

/** The caller's or AgentCore's id when it is a plain one, else one of our own. */
export function readRequestId({ requestId }: RequestContext): string {
  return requestId !== undefined && CALLER_REQUEST_ID.test(requestId) ? requestId : randomUUID();
}
