/**
 * One turn of the agent, watched from the caller's side: ask, note when each event arrived and how much it held,
 * hand the audio on, keep none of it. So a long answer costs a few bytes an event, whatever it says.
 */
import { PCM16_SAMPLE_BYTES } from "../audio/format.ts";
import type { AgentArrival } from "../client/agent-events.ts";
import { SpeechError } from "../errors.ts";
import type { AgentPayloadInput } from "../protocol/agent-events.ts";
import { SAMPLE_RATE_HZ } from "../protocol/limits.ts";
import { fromWireError } from "../protocol/wire-errors.ts";
import { type TurnEvent, type TurnMetrics, turnMetrics } from "./metrics.ts";

/** Asks the agent one prompt in a runtime session of its own. lib/client/agent-client.ts is the real one. */
export type AskAgent = (payload: AgentPayloadInput, signal: AbortSignal) => AsyncIterable<AgentArrival>;

/** Who hears along; each may be slow (the agent then waits). */
export interface TrialListener {
  onEvent?(event: TurnEvent): void;
  /** PCM16 of one chunk, to be used before the promise resolves. */
  onAudio?(pcm: Uint8Array, sampleRateHz: number): Promise<void> | void;
}

export interface Trial {
  readonly events: readonly TurnEvent[];
  readonly metrics: TurnMetrics;
  readonly sampleRateHz: number;
}

/**
 * @throws {SpeechError} what the agent's `error` event says; TRANSPORT_FAILED when the events end without
 *   `agent_end`; PROTOCOL_VIOLATION for anything before `agent_start`.
 */
export async function runTrial(
  ask: AskAgent,
  payload: AgentPayloadInput,
  signal: AbortSignal,
  listener: TrialListener = {},
): Promise<Trial> {
  const events: TurnEvent[] = [];
  let startedAtMs: number | undefined;
  let sampleRateHz = SAMPLE_RATE_HZ;
  let ended = false;
  for await (const arrived of ask(payload, signal)) {
    const { event } = arrived;
    if (event.type === "error") throw fromWireError(event);
    if (event.type === "agent_start") startedAtMs ??= arrived.atMs;
    if (startedAtMs === undefined) {
      throw new SpeechError("PROTOCOL_VIOLATION", `the agent sent ${event.type} before agent_start`);
    }
    if (event.type === "audio_stream_start") sampleRateHz = event.sample_rate;
    const noted = noteEvent(arrived, startedAtMs);
    events.push(noted);
    listener.onEvent?.(noted);
    if (event.type === "audio_chunk") await listener.onAudio?.(audioOf(arrived), sampleRateHz);
    if (event.type === "agent_end") ended = true;
  }
  signal.throwIfAborted();
  if (!ended) {
    throw new SpeechError("TRANSPORT_FAILED", "the agent's events stopped before agent_end; try again");
  }
  return { events, metrics: turnMetrics(events, sampleRateHz), sampleRateHz };
}

function noteEvent(arrived: AgentArrival, startedAtMs: number): TurnEvent {
  const { event } = arrived;
  // Microseconds are kept: finer digits would be noise in the report.
  const atMs = Math.round((arrived.atMs - startedAtMs) * 1000) / 1000;
  if (event.type === "text_delta") return { type: event.type, atMs, chars: event.text.length };
  if (event.type !== "audio_chunk") return { type: event.type, atMs };
  return { type: event.type, atMs, samples: audioOf(arrived).byteLength / PCM16_SAMPLE_BYTES };
}

function audioOf({ audio }: AgentArrival): Uint8Array {
  return audio ?? new Uint8Array();
}
