/**
 * What a listener notices of one spoken turn, computed from the turn's events and nothing else. Each formula
 * stands here once; the demo's table, report.json and the benchmarks read the same numbers. All times are
 * milliseconds since the arrival of `agent_start`, measured where the listener is (the caller of the agent).
 */
import type { AgentEvent } from "../protocol/agent-events.ts";

/** One event of a turn as the caller saw it: when, and how much; never what was said. */
export interface TurnEvent {
  readonly type: AgentEvent["type"];
  /** Milliseconds since `agent_start` arrived. */
  readonly atMs: number;
  /** `text_delta` only: characters. */
  readonly chars?: number;
  /** `audio_chunk` only: samples of one channel. */
  readonly samples?: number;
}

export interface TurnMetrics {
  /** First text with a character in it; null when the model wrote nothing. */
  readonly firstTextMs: number | null;
  /** First audio with a sample in it; null when nothing was spoken. */
  readonly firstAudioMs: number | null;
  /** Silence heard between the first and the last sound because playback had run out of audio. */
  readonly stallMs: number;
  /** How often that happened. */
  readonly stalls: number;
  /** `agent_end`, or the last event of a turn that broke off. */
  readonly endMs: number;
  readonly audioSeconds: number;
  /** Audio chunks received. */
  readonly chunks: number;
}

export function turnMetrics(events: readonly TurnEvent[], sampleRateHz: number): TurnMetrics {
  const audio = events.filter((event) => event.type === "audio_chunk" && (event.samples ?? 0) > 0);
  const samples = audio.reduce((sum, event) => sum + event.samples!, 0);
  const playback = simulatePlayback(audio, sampleRateHz);
  return {
    firstTextMs: events.find((event) => event.type === "text_delta" && (event.chars ?? 0) > 0)?.atMs ?? null,
    firstAudioMs: audio[0]?.atMs ?? null,
    stallMs: playback.stallMs,
    stalls: playback.stalls,
    endMs: (events.find((event) => event.type === "agent_end") ?? events.at(-1))?.atMs ?? 0,
    audioSeconds: samples / sampleRateHz,
    chunks: audio.length,
  };
}

/** A stretch of sound without a pause, as a listener hears it. */
export interface HeardInterval {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * A player that starts with the first chunk and never rebuffers: it plays whatever has come, and is silent while
 * it has nothing.
 */
export function heardIntervals(events: readonly TurnEvent[], sampleRateHz: number): HeardInterval[] {
  const heard: { startMs: number; endMs: number }[] = [];
  for (const { type, samples, atMs } of events) {
    if (type !== "audio_chunk" || !samples) continue;
    const last = heard.at(-1);
    const lengthMs = (samples / sampleRateHz) * 1000;
    // Sums of fractions are off by less than a nanosecond; a sample lasts 41,667 of them.
    if (last && atMs - last.endMs <= 1e-6) last.endMs += lengthMs;
    else heard.push({ startMs: atMs, endMs: atMs + lengthMs });
  }
  return heard;
}

/** The pauses between what is heard. What comes after the last sound is the end of the speech, not a stall. */
export function simulatePlayback(
  events: readonly TurnEvent[],
  sampleRateHz: number,
): { stallMs: number; stalls: number } {
  const heard = heardIntervals(events, sampleRateHz);
  const pauses = heard.slice(1).map(({ startMs }, i) => startMs - heard[i]!.endMs);
  return { stallMs: pauses.reduce((sum, pause) => sum + pause, 0), stalls: pauses.length };
}
