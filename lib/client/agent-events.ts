/**
 * What an agent's answer must look like over time, whichever way it comes: events in order, audio complete, and
 * an `agent_end` or an `error` last. Adds when each arrived, and decodes the audio.
 */
import { SpeechError } from "../errors.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";

/** An agent's event with its audio decoded: PCM16 little-endian, mono. */
export type AgentArrivalEvent =
  | Exclude<AgentEvent, { type: "audio_chunk" }>
  | { readonly type: "audio_chunk"; readonly seq: number; readonly audio: Uint8Array };

export interface AgentArrival {
  readonly event: AgentArrivalEvent;
  /** When its last byte was read; monotonic milliseconds of the injected clock. */
  readonly atMs: number;
}

export class AgentEventLog {
  #audioChunks = 0;
  #ended = false;

  /** @throws {SpeechError} PROTOCOL_VIOLATION when audio was lost on the way. */
  take(event: AgentEvent): AgentArrivalEvent {
    switch (event.type) {
      case "audio_chunk":
        this.#audioChunks++;
        return { type: "audio_chunk", seq: event.seq, audio: decodeAudio(event.data) };
      case "audio_stream_start":
        this.#audioChunks = 0;
        return event;
      case "audio_stream_end":
        if (event.total_chunks !== this.#audioChunks) {
          throw new SpeechError(
            "PROTOCOL_VIOLATION",
            `the agent announced ${event.total_chunks} audio chunks, ${this.#audioChunks} arrived`,
          );
        }
        return event;
      case "agent_end":
      case "error":
        this.#ended = true;
        return event;
      default:
        return event;
    }
  }

  /** A binary frame of `/ws`: audio without an envelope, numbered from 0 by its order. */
  takeAudio(bytes: Uint8Array): AgentArrivalEvent {
    return { type: "audio_chunk", seq: this.#audioChunks++, audio: bytes };
  }

  /** @throws {SpeechError} TRANSPORT_FAILED when the answer broke off. */
  end(): void {
    if (this.#ended) return;
    throw new SpeechError("TRANSPORT_FAILED", "the agent's answer broke off before agent_end", {
      retryable: this.#audioChunks === 0,
    });
  }
}

function decodeAudio(data: string): Uint8Array {
  const audio = Buffer.from(data, "base64");
  // Buffer skips what is not base64 without a word; audio with holes must not be played.
  if (audio.length !== Buffer.byteLength(data, "base64")) {
    throw new SpeechError("PROTOCOL_VIOLATION", "the agent sent audio that is not base64");
  }
  return audio;
}
