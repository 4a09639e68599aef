/**
 * Makes a turn's events: numbers the pieces, announces the audio before its first chunk, cuts audio to one size
 * in every mode, and counts what the log line tells. Every turn that ends well sends the same kinds of events,
 * also one with nothing to say (`audio_stream_end` then counts 0 chunks).
 */
import { AGENT_AUDIO_FORMAT } from "../../lib/protocol/agent-events.ts";
import { SAMPLE_RATE_HZ } from "../../lib/protocol/limits.ts";
import type { EventQueue } from "./event-queue.ts";
import type { TurnEvent } from "./turn.ts";

const BYTES_PER_SAMPLE = 2;
/**
 * Largest audio chunk: 200 ms. A streamed part that is smaller leaves as it came (it is the earliest audio
 * there is); a batch answer, which comes in one piece, is cut so that its events equal the others'.
 */
export const AUDIO_CHUNK_MAX_BYTES = (SAMPLE_RATE_HZ / 5) * BYTES_PER_SAMPLE;

export class TurnOutput {
  readonly #queue: EventQueue<TurnEvent>;
  readonly #voice: string;
  readonly #nowMs: () => number;
  #textSeq = 0;
  #audioSeq = 0;
  #audioBytes = 0;
  #announced = false;
  textChars = 0;
  /** Sentences handed to the speaker; a batch answer is handed over as one. */
  sentences = 0;
  firstTextMs: number | undefined;
  firstSentenceMs: number | undefined;
  firstAudioMs: number | undefined;

  constructor(queue: EventQueue<TurnEvent>, voice: string, nowMs: () => number) {
    this.#queue = queue;
    this.#voice = voice;
    this.#nowMs = nowMs;
  }

  get audioChunks(): number {
    return this.#audioSeq;
  }

  get audioSeconds(): number {
    return this.#audioBytes / BYTES_PER_SAMPLE / SAMPLE_RATE_HZ;
  }

  /** Takes its place in the order at once; await `room()` before the next one. */
  textDelta(text: string): void {
    this.firstTextMs ??= this.#nowMs();
    this.textChars += text.length;
    this.#queue.put({ type: "text_delta", seq: this.#textSeq++, text });
  }

  /** To be told before each sentence is handed over. */
  sentence(): void {
    this.firstSentenceMs ??= this.#nowMs();
    this.sentences++;
  }

  room(): Promise<void> {
    return this.#queue.room();
  }

  /** @param pcm whole samples of PCM16, any number; the buffer belongs to the events from now on. */
  async audio(pcm: Uint8Array): Promise<void> {
    if (pcm.length === 0) return;
    this.#announce();
    this.firstAudioMs ??= this.#nowMs();
    for (let start = 0; start < pcm.length; start += AUDIO_CHUNK_MAX_BYTES) {
      const chunk = pcm.subarray(start, start + AUDIO_CHUNK_MAX_BYTES);
      this.#audioBytes += chunk.length;
      this.#queue.put({ type: "audio_chunk", seq: this.#audioSeq++, pcm: chunk });
      await this.#queue.room();
    }
  }

  async audioEnd(): Promise<void> {
    this.#announce();
    this.#queue.put({
      type: "audio_stream_end",
      total_chunks: this.#audioSeq,
      duration_s: Math.round(this.audioSeconds * 1000) / 1000,
    });
    await this.#queue.room();
  }

  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    this.#queue.put({
      type: "audio_stream_start",
      format: AGENT_AUDIO_FORMAT,
      voice: this.#voice,
      sample_rate: SAMPLE_RATE_HZ,
    });
  }
}
