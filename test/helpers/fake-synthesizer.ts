/**
 * A Synthesizer without a model: a sine whose length follows the text, in segments, at a pace of choice. It counts
 * what became of every call, so that a test can see work stop. Words in the text make it fail.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SpeechError } from "../../lib/errors.ts";
import type { AudioSegment, SynthesisRequest, Synthesizer } from "../../lib/kokoro/synthesizer.ts";

export interface FakeSynthesizerOptions {
  /** Time that one second of audio takes; 0 answers at once. */
  readonly msPerAudioSecond?: number;
  readonly msPerChar?: number;
  readonly segmentMs?: number;
  readonly voices?: readonly string[];
}

/** Texts with these words fail, before any audio or after the first segment. */
export const FAILS_AT_ONCE = "failatonce";
export const FAILS_MIDWAY = "failmidway";
/** Fails with an error that is no SpeechError and whose message holds the text. */
export const LEAKS = "leakthis";

export const FAKE_RATE_HZ = 24_000;
export const FAKE_PITCH_HZ = 400;
/** A table, since the fake runs on the event loop, where the real engine costs nothing. */
const PERIOD = new Float32Array(FAKE_RATE_HZ / FAKE_PITCH_HZ).map(
  (_, i, { length }) => Math.sin((2 * Math.PI * i) / length) * 0.5,
);

export class FakeSynthesizer implements Synthesizer {
  readonly requests: SynthesisRequest[] = [];
  segments = 0;
  completed = 0;
  cancelled = 0;
  failed = 0;
  /** Calls begun and not ended; those that compute a segment right now; most of these at once. */
  running = 0;
  computing = 0;
  mostAtOnce = 0;
  isClosed = false;
  readonly #options: Required<FakeSynthesizerOptions>;

  constructor(options: FakeSynthesizerOptions = {}) {
    this.#options = {
      msPerAudioSecond: options.msPerAudioSecond ?? 0,
      msPerChar: options.msPerChar ?? 60,
      segmentMs: options.segmentMs ?? 500,
      voices: options.voices ?? ["af_heart", "am_adam", "bf_emma"],
    };
  }

  /** Samples that a text of so many characters gives. */
  samplesOf(chars: number, speed = 1): number {
    return Math.round((chars * this.#options.msPerChar * FAKE_RATE_HZ) / 1000 / speed);
  }

  checkVoice(voice: string): void {
    if (this.#options.voices.includes(voice)) return;
    const nearest = this.#options.voices.slice(0, 2);
    throw new SpeechError("UNKNOWN_VOICE", `voice is not known; nearest are ${nearest.join(", ")}`, {
      details: { nearest },
    });
  }

  async *synthesize(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<AudioSegment> {
    this.requests.push(request);
    this.running++;
    let isDone = false;
    try {
      signal.throwIfAborted();
      yield* this.#segmentsOf(request, signal);
      isDone = true;
    } finally {
      this.running--;
      if (isDone) this.completed++;
      else if (signal.aborted) this.cancelled++;
      else this.failed++;
    }
  }

  async *#segmentsOf(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<AudioSegment> {
    if (request.text.includes(FAILS_AT_ONCE)) throw new SpeechError("SYNTHESIS_FAILED", "the model failed");
    if (request.text.includes(LEAKS)) throw new Error(`cannot say ${request.text}`);
    const totalSamples = this.samplesOf(request.text.length, request.speed);
    const segmentSamples = Math.round((this.#options.segmentMs * FAKE_RATE_HZ) / 1000);
    for (let at = 0; at < totalSamples; at += segmentSamples) {
      if (at > 0 && request.text.includes(FAILS_MIDWAY)) {
        throw new SpeechError("SYNTHESIS_FAILED", "the model failed midway");
      }
      const samples = new Float32Array(Math.min(segmentSamples, totalSamples - at));
      for (let i = 0; i < samples.length; i++) samples[i] = PERIOD[(at + i) % PERIOD.length]!;
      const inferenceMs = (samples.length / FAKE_RATE_HZ) * this.#options.msPerAudioSecond;
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.computing);
      if (inferenceMs > 0) {
        await sleep(inferenceMs, undefined, { signal }).finally(() => this.computing--);
      } else this.computing--;
      this.segments++;
      yield { samples, inferenceMs };
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
