/**
 * Runs one turn from prompt to last event. Its producers run by themselves and feed one queue; the generator only
 * reads it. So a caller who leaves stops the work at once, even while the generator is stuck in a write to a
 * socket that nobody reads. Nothing is thrown to the caller's side: a failure is the last event.
 */
import { SpeechError } from "../../lib/errors.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import { toWireError } from "../../lib/protocol/wire-errors.ts";
import { runBatchStreamTurn, runBatchTurn } from "./batch-turn.ts";
import { runBidiTurn } from "./bidi-turn.ts";
import { EventQueue } from "./event-queue.ts";
import { describeError, type Log } from "./log.ts";
import type { Speech, TurnEvent, TurnHaste, TurnParts, TurnRequest } from "./turn.ts";
import { TurnOutput } from "./turn-output.ts";
import type { ConversationTurn, VoiceAgents } from "./voice-agents.ts";

/** Some seconds of audio at 200 ms a chunk; more only delays what back-pressure is for. */
const QUEUE_CAPACITY = 32;
/** Longer than the language model's client is silent before it gives up by itself (120 s). */
const STARVED_AFTER_MS = 150_000;

const MODES: Record<AgentMode, (turn: TurnParts, output: TurnOutput, signal: AbortSignal) => Promise<void>> =
  {
    bidi: runBidiTurn,
    batch: runBatchTurn,
    "batch-stream": runBatchStreamTurn,
  };

/** Reason of a signal with which a caller cancels its turn but stays: the turn then ends with `agent_end`. */
export class TurnCancelled extends Error {
  override readonly name = "AbortError";
}

export interface TurnRunnerOptions {
  readonly agents: VoiceAgents;
  readonly speech: Speech;
  /** Makes what callers may know of a failure of the language model. */
  readonly toModelFailure: (error: unknown) => unknown;
  readonly log: Log;
  readonly haste?: TurnHaste;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #nowMs: () => number;
  readonly #running = new Set<Promise<void>>();
  #draining = false;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get runningTurns(): number {
    return this.#running.size;
  }

  /** Refuses new turns from now on and resolves when no turn runs any more. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /**
   * The turn's events, `agent_start` at once. The last one is `agent_end` or `error`.
   * @param signal fires when the caller cancelled (TurnCancelled: the last event is `agent_end`), or when it left
   *   (any other reason: there are no more events).
   */
  async *run(request: TurnRequest, runtimeSessionId: string, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    const queue = new EventQueue<TurnEvent>({ capacity: QUEUE_CAPACITY, starvedAfterMs: STARVED_AFTER_MS });
    const readerGone = new AbortController();
    const stop = AbortSignal.any([signal, readerGone.signal]);
    const onStop = () => queue.abandon(stop.reason);
    stop.addEventListener("abort", onStop, { once: true });
    if (stop.aborted) onStop();

    const work = this.#work(request, runtimeSessionId, queue, stop);
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));

    try {
      yield { type: "agent_start", request_id: request.requestId, mode: request.mode };
      yield* queue;
      await work;
      yield { type: "agent_end" };
    } catch (error) {
      if (signal.reason instanceof TurnCancelled && error === signal.reason) {
        // The session is free again before its caller may ask anew.
        await work;
        yield { type: "agent_end", cancelled: true };
      } else if (!stop.aborted) {
        readerGone.abort(error);
        await work;
        yield errorEvent(error, request.requestId);
      }
    } finally {
      readerGone.abort(new TurnCancelled("nobody reads the turn's events any more"));
      stop.removeEventListener("abort", onStop);
    }
  }

  /** Never rejects: what went wrong goes into the queue and the log. */
  async #work(
    request: TurnRequest,
    runtimeSessionId: string,
    queue: EventQueue<TurnEvent>,
    stop: AbortSignal,
  ): Promise<void> {
    const { agents, speech, haste, toModelFailure, log } = this.#options;
    const startMs = this.#nowMs();
    const output = new TurnOutput(queue, request.voice, () => this.#nowMs() - startMs);
    let conversation: ConversationTurn | undefined;
    let outcome: Readonly<Record<string, unknown>> = { outcome: "answered" };
    try {
      if (this.#draining) {
        throw new SpeechError("MODEL_NOT_READY", "this agent is shutting down; ask again in a while");
      }
      const claimed = await agents.begin(runtimeSessionId, stop);
      conversation = claimed;
      const textDeltas = (signal: AbortSignal) =>
        withFailures(claimed.answer(request.prompt, signal), toModelFailure);
      await MODES[request.mode]({ request, speech, ...(haste && { haste }), textDeltas }, output, stop);
      queue.end();
    } catch (error) {
      outcome = stop.aborted ? { outcome: "cancelled" } : { outcome: "failed", ...describeError(error) };
      queue.fail(error);
    } finally {
      conversation?.end();
      log[outcome.outcome === "failed" ? "warn" : "info"]("turn", {
        request_id: request.requestId,
        mode: request.mode,
        ...outcome,
        text_chars: output.textChars,
        sentences: output.sentences,
        audio_chunks: output.audioChunks,
        audio_s: round(output.audioSeconds),
        first_text_ms: round(output.firstTextMs),
        first_sentence_ms: round(output.firstSentenceMs),
        first_audio_ms: round(output.firstAudioMs),
        elapsed_ms: round(this.#nowMs() - startMs),
      });
    }
  }
}

/** What a caller is told of a failure; anything that is not a SpeechError becomes INTERNAL with fixed words. */
export function errorEvent(error: unknown, requestId: string): TurnEvent {
  const failure =
    error === undefined ? new SpeechError("INTERNAL", "the turn ended without a reason") : error;
  return { type: "error", ...toWireError(failure), request_id: requestId };
}

async function* withFailures(
  textDeltas: AsyncIterable<string>,
  toModelFailure: (error: unknown) => unknown,
): AsyncGenerator<string> {
  try {
    yield* textDeltas;
  } catch (error) {
    throw toModelFailure(error);
  }
}

function round(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 10) / 10;
}
