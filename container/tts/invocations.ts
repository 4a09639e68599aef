/**
 * POST /invocations (docs/protocol.md): reads and checks one request, has it answered, and makes of whatever fails the
 * right end: a status with a JSON body while nothing was sent; afterwards a broken connection, so that no reader
 * takes a part of the audio for the whole.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SpeechError } from "../../lib/errors.ts";
import { type InvocationRequest, readInvocation } from "../../lib/protocol/invocations.ts";
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import { createAudioBodyEncoder } from "./audio-body.ts";
import { answerError } from "./http-answer.ts";
import { answerChunked, answerEvents, answerWhole, formatOf, rateOf } from "./invocation-answers.ts";
import { PlayoutClock } from "./playout-clock.ts";
import { readBody } from "./request-body.ts";
import { findRequestId, newRequestId } from "./request-id.ts";
import type { SpeechService } from "./speech-service.ts";
import type { Utterance } from "./utterance.ts";
import { logUtterance } from "./utterance-log.ts";

/** Answers one request. Never throws. */
export async function answerInvocation(
  incoming: IncomingMessage,
  response: ServerResponse,
  service: SpeechService,
): Promise<void> {
  const startedMs = service.clock.steadyMs();
  const caller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) caller.abort(new SpeechError("TRANSPORT_FAILED", "the caller is gone"));
  });
  let requestId = newRequestId();
  let request: InvocationRequest | undefined;
  let utterance: Utterance | undefined;
  let failure: unknown;
  try {
    const body = await readBody(incoming, MESSAGE_MAX_BYTES);
    requestId = findRequestId(body) ?? requestId;
    request = readInvocation(body);
    requestId = request.request_id ?? requestId;
    service.checkReady();
    service.checkFresh(request.request_timestamp);
    service.check(request);
    const ticket = service.admission.enter();
    try {
      // SSE is a stream by nature: `stream` need not be said, but `false` is heeded.
      const isStream = request.transport === "sse" ? request.stream !== false : request.stream === true;
      utterance = service.utterance(request, ticket, new PlayoutClock(), isStream);
      const encoder = await createAudioBodyEncoder(formatOf(request), rateOf(request));
      const answer = { response, request, requestId, utterance, encoder, signal: caller.signal };
      if (!isStream) await answerWhole(answer);
      else if (request.transport === "sse") await answerEvents(answer);
      else await answerChunked(answer);
    } finally {
      ticket.leave();
    }
  } catch (error) {
    failure = error;
    if (!response.headersSent) answerError(response, error, requestId);
    else if (!response.writableEnded) response.destroy();
  }
  logUtterance(service, {
    route: "invocations",
    requestId,
    outcome: caller.signal.aborted ? "gone" : failure === undefined ? "complete" : "error",
    startedMs,
    text: request?.text ?? "",
    utterance,
    failure,
  });
}
