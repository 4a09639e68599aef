/**
 * The contract of the speech engine: text in, float32 audio out. lib/kokoro/worker-synthesizer.ts fulfils it with
 * worker threads; container/tts only knows this file. One call is one sentence (or any text the caller did
 * not split); longer than 510 phoneme tokens is split inside, never cut.
 */

export interface SynthesisRequest {
  /** What is to be said. Text without a letter or digit gives no audio at all. */
  readonly text: string;
  /** Name of a voice, e.g. `af_heart`. */
  readonly voice: string;
  /** 0.5-2.0, 1 = natural. */
  readonly speed: number;
  /**
   * false: each sentence in one segment, for who hears it only when all of it is there. Saves the context that each
   * window pays for. Default true: the first segment comes before the sentence is synthesized.
   */
  readonly windows?: boolean | undefined;
  /**
   * Sound that the listener has and did not play yet, in ms: how long the next window may take. Asked before each
   * window. By default the listener began with this text's first sound.
   */
  readonly aheadMs?: (() => number) | undefined;
}

export interface AudioSegment {
  /** float32[n] in [-1, 1], mono, 24,000 Hz. The receiver owns the buffer. */
  readonly samples: Float32Array;
  /** Time the model needed for this segment, in the worker, without waiting. */
  readonly inferenceMs: number;
  /** Time to turn the text into phonemes, not part of inferenceMs; of the first segment only. */
  readonly phonemesMs?: number | undefined;
}

export interface Synthesizer {
  /**
   * Speaks one text. Segments come in order, each computed when it is asked for.
   * Safe to call at once: calls share the workers.
   * @param signal aborting drops the work at the next boundary between segments and rejects with its reason.
   * @throws {SpeechError} UNKNOWN_VOICE (with the nearest names), LANGUAGE_NOT_SUPPORTED, SYNTHESIS_FAILED.
   */
  synthesize(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<AudioSegment>;
  /** @throws {SpeechError} UNKNOWN_VOICE, LANGUAGE_NOT_SUPPORTED; so that a request is refused before it is queued. */
  checkVoice(voice: string): void;
  /** Ends the workers; calls still running fail with SYNTHESIS_FAILED. */
  close(): Promise<void>;
}
