/**
 * One WebSocket (docs/protocol.md, link 2): messages are read as they come and answered strictly in order, each by
 * synthesis_start, audio, synthesis_complete, or by one error after which the session lives on. It ends by the
 * caller's `close`, when the caller is gone, or when the container shuts down.
 */
import { toPcm16 } from "../../lib/audio/pcm16.ts";
import { SpeechError } from "../../lib/errors.ts";
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import {
  type ContainerMessage,
  encodeMessage,
  isSpeakMessage,
  RefusedMessage,
  readCallerMessage,
  type SpeakMessage,
} from "../../lib/protocol/messages.ts";
import { toWireError } from "../../lib/protocol/wire-errors.ts";
import type { Ticket } from "./admission.ts";
import type { FrameSocket } from "./frame-socket.ts";
import { errorFields } from "./log.ts";
import { PlayoutClock } from "./playout-clock.ts";
import { findRequestId, newRequestId } from "./request-id.ts";
import { CANCELLED, type Job, SessionInbox, type SpeakJob } from "./session-inbox.ts";
import type { SpeechService } from "./speech-service.ts";
import type { Utterance } from "./utterance.ts";
import { logUtterance, type UtteranceReport } from "./utterance-log.ts";

const CLOSE_NORMAL = 1000;
const CLOSE_GOING_AWAY = 1001;

export class SynthesisSession {
  readonly #socket: FrameSocket;
  readonly #service: SpeechService;
  readonly #sessionId = newRequestId();
  readonly #inbox = new SessionInbox(MESSAGE_MAX_BYTES);
  readonly #playout = new PlayoutClock();
  #isPaused = false;
  #isDraining = false;

  constructor(socket: FrameSocket, service: SpeechService) {
    this.#socket = socket;
    this.#service = service;
    socket.onMessage = (frame) => this.#take(frame);
  }

  /** Serves until the connection is over. Never throws. */
  async run(): Promise<void> {
    const { clock, log } = this.#service;
    const startedMs = clock.steadyMs();
    const gone = this.#socket.gone;
    const abandon = () => this.#inbox.abandon(gone.reason);
    if (gone.aborted) abandon();
    gone.addEventListener("abort", abandon);
    try {
      await this.#answerAll();
      if (this.#isDraining) this.#socket.close(CLOSE_GOING_AWAY, "the container is shutting down");
      else this.#socket.close(CLOSE_NORMAL, "");
    } catch (error) {
      // Only sending can fail here, when the caller is gone; anything else is a fault of ours.
      if (!gone.aborted) {
        log("error", "session_failed", { session_id: this.#sessionId, error: errorFields(error) });
      }
      this.#socket.terminate();
    } finally {
      gone.removeEventListener("abort", abandon);
      log("info", "session_end", {
        session_id: this.#sessionId,
        life_ms: Math.round(clock.steadyMs() - startedMs),
      });
    }
  }

  /** The container shuts down: what waits is spoken, then the session ends. */
  drain(): void {
    this.#isDraining = true;
    this.#inbox.close();
  }

  /** Ends at once; what is being spoken stops. */
  terminate(): void {
    this.#socket.terminate();
  }

  #take(frame: Buffer): void {
    const message = frame.length > MESSAGE_MAX_BYTES ? refuseSize(frame) : readCallerMessage(frame);
    if (message instanceof RefusedMessage) {
      const requestId = message.requestId ?? findRequestId(frame) ?? newRequestId();
      this.#inbox.add({ kind: "refuse", requestId, error: message.error });
    } else if (message.type === "close") this.#inbox.close();
    else if (message.type === "cancel") this.#inbox.cancel(message.request_id);
    else if (isSpeakMessage(message)) this.#inbox.add(this.#jobOf(message));
    this.#pauseWhenFull();
  }

  #jobOf(message: SpeakMessage): Job {
    const requestId = message.request_id ?? newRequestId();
    try {
      // At arrival: what waits later on waits for its own session, whose caller is there and listens.
      this.#service.checkFresh(message.request_timestamp);
    } catch (error) {
      return { kind: "refuse", requestId, error };
    }
    return { kind: "speak", requestId, message, controller: new AbortController() };
  }

  #pauseWhenFull(): void {
    if (!this.#inbox.isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  async #answerAll(): Promise<void> {
    for (let job = await this.#inbox.next(); job !== undefined; job = await this.#inbox.next()) {
      if (this.#isPaused && !this.#inbox.isFull) {
        this.#isPaused = false;
        this.#socket.resume();
      }
      if (job.kind === "speak") await this.#speak(job);
      else if (job.kind === "refuse") await this.#refuse(job.requestId, job.error);
      else await this.#send({ type: "synthesis_cancelled", request_id: job.requestId });
    }
    this.#socket.gone.throwIfAborted();
  }

  async #speak(job: SpeakJob): Promise<void> {
    const { message, requestId, controller } = job;
    const { clock } = this.#service;
    const startedMs = clock.steadyMs();
    let ticket: Ticket | undefined;
    let utterance: Utterance | undefined;
    let outcome: UtteranceReport["outcome"] = "complete";
    let failure: unknown;
    try {
      this.#service.check(message);
      ticket = this.#service.admission.enter();
      utterance = this.#service.utterance(message, ticket, this.#playout);
      await this.#send({ type: "synthesis_start", request_id: requestId });
      for await (const slice of utterance.slices(controller.signal)) await this.#socket.send(toPcm16(slice));
      controller.signal.throwIfAborted();
      await this.#send({
        type: "synthesis_complete",
        request_id: requestId,
        total_duration_s: utterance.audioSeconds,
        elapsed_s: (clock.steadyMs() - startedMs) / 1000,
      });
    } catch (error) {
      failure = error;
      if (this.#socket.gone.aborted) outcome = "gone";
      else if (controller.signal.reason === CANCELLED) outcome = "cancelled";
      else outcome = "error";
    } finally {
      // The next message, if there is one, enters before any other session can: an answer begun is not refused midway.
      ticket?.leave();
    }
    const { text } = message;
    this.#log({ requestId, outcome, startedMs, text, utterance, failure });
    if (outcome === "cancelled") await this.#send({ type: "synthesis_cancelled", request_id: requestId });
    else if (outcome === "error") await this.#sendError(requestId, failure);
  }

  async #refuse(requestId: string, failure: unknown): Promise<void> {
    const startedMs = this.#service.clock.steadyMs();
    this.#log({ requestId, outcome: "error", startedMs, text: "", utterance: undefined, failure });
    await this.#sendError(requestId, failure);
  }

  #sendError(requestId: string, error: unknown): Promise<void> {
    return this.#send({ type: "error", request_id: requestId, ...toWireError(error) });
  }

  #send(message: ContainerMessage): Promise<void> {
    return this.#socket.send(encodeMessage(message));
  }

  #log(report: Omit<UtteranceReport, "route" | "sessionId">): void {
    logUtterance(this.#service, { route: "bidirectional", sessionId: this.#sessionId, ...report });
  }
}

/** Not parsed: that would hold up every other session, and no such message could be spoken anyway. */
function refuseSize(frame: Buffer): RefusedMessage {
  const error = new SpeechError(
    "TEXT_TOO_LONG",
    `a message must have at most ${MESSAGE_MAX_BYTES} bytes, got ${frame.length}; send the text in parts`,
    { details: { maxBytes: MESSAGE_MAX_BYTES } },
  );
  return new RefusedMessage(error, undefined);
}
