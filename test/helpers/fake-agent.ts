/** An agent without sockets: a turn's events at times of choice, for what only listens. */
import type { AskAgent } from "../../lib/bench/trial.ts";
import type { AgentArrival } from "../../lib/client/agent-events.ts";
import type { AgentEvent, AgentMode, AgentPayloadInput } from "../../lib/protocol/agent-events.ts";

export const FAKE_RATE_HZ = 24_000;

export function arrival(atMs: number, event: AgentEvent): AgentArrival {
  return { atMs, event };
}

export function audioArrival(atMs: number, seconds: number): AgentArrival {
  const audio = new Uint8Array(Math.round(seconds * FAKE_RATE_HZ) * 2);
  return { atMs, event: { type: "audio_chunk", seq: 0, data: "" }, audio };
}

/** A whole turn that begins at `startMs` and is heard `firstAudioMs` later. */
export function spokenTurn(mode: AgentMode, startMs: number, firstAudioMs: number): AgentArrival[] {
  return [
    arrival(startMs, { type: "agent_start", request_id: "r", mode }),
    arrival(startMs + 100, { type: "text_delta", seq: 0, text: "Words." }),
    arrival(startMs + firstAudioMs, {
      type: "audio_stream_start",
      format: "pcm16",
      voice: "af_heart",
      sample_rate: FAKE_RATE_HZ,
    }),
    audioArrival(startMs + firstAudioMs, 1),
    arrival(startMs + firstAudioMs + 50, { type: "audio_stream_end", total_chunks: 1, duration_s: 1 }),
    arrival(startMs + firstAudioMs + 60, { type: "agent_end" }),
  ];
}

/** Gives `turn`'s events for each call, and keeps what it was asked. */
export function fakeAgent(turn: (payload: AgentPayloadInput, call: number) => AgentArrival[]): {
  ask: AskAgent;
  asked: AgentPayloadInput[];
} {
  const asked: AgentPayloadInput[] = [];
  return {
    asked,
    async *ask(payload, signal) {
      for (const event of turn(payload, asked.push(payload) - 1)) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}
