/**
 * What an agent's answer must look like over time, whichever way it comes: events in order, audio complete, and
 * an `agent_end` or an `error` last. Adds when each arrived, and decodes the audio.
 */
import { SpeechError } from "../errors.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";

/** An event and when it arrived. */
export interface AgentArrival {
  readonly event: AgentEvent;
  /** When its last byte was read; monotonic milliseconds of the injected clock. */
  readonly atMs: number;
  /** With every `audio_chunk`, and only there: PCM16 little-endian, mono. On `/ws` the event's `data` is empty. */
  readonly audio?: Uint8Array;
}

export class AgentEventLog {
  #audioChunks = 0;
  #ended = false;

  /** @throws {SpeechError} PROTOCOL_VIOLATION when audio was lost on the way. */
  take(event: AgentEvent, atMs: number): AgentArrival {
    if (event.type === "audio_chunk") {
      this.#audioChunks++;
      return { event, atMs, audio: decodeAudio(event.data) };
    }
    if (event.type === "audio_stream_start") this.#audioChunks = 0;
    if (event.type === "audio_stream_end" && event.total_chunks !== this.#audioChunks) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `the agent announced ${event.total_chunks} audio chunks, ${this.#audioChunks} arrived`,
      );
    }
    if (event.type === "agent_end" || event.type === "error") this.#ended = true;
    return { event, atMs };
  }

  /** A binary frame of `/ws`: audio without an envelope, numbered from 0 by its order. */
  takeAudio(audio: Uint8Array, atMs: number): AgentArrival {
    return { event: { type: "audio_chunk", seq: this.#audioChunks++, data: "" }, atMs, audio };
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
