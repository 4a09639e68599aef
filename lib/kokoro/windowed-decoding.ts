/**
 * A sentence decoded window by window: each step takes the state that the step before left, so any worker can go on
 * with it and others get their turn in between. Silence at head and tail is left out (silence.ts); the windows' lengths add up
 * to the kept frames x 600 samples exactly, as many as whole decoding gives.
 */
import { FADE_SAMPLES, fadeOver } from "./cross-fade.ts";
import { type Encoding, FRAME_MS, FRAME_SAMPLES } from "./encoding.ts";
import { withoutSilence } from "./silence.ts";
import type { SplitModel } from "./split-model.ts";
import { CONTEXT_AFTER_FRAMES, CONTEXT_BEFORE_FRAMES, nextCut, windowSize } from "./window-plan.ts";

/** Between two windows. Plain data: it passes between threads. */
export interface SentenceInProgress {
  readonly encoding: Encoding;
  /** First frame not decoded yet. */
  readonly from: number;
  /** End of the frames that are spoken. */
  readonly end: number;
  /** Frames of the window before; 0 before the first. */
  readonly previousFrames: number;
  /** What the window before says after its end: FADE_SAMPLES of it, none before the first. */
  readonly tail: Float32Array<ArrayBuffer>;
}

export function beginSentence(encoding: Encoding): SentenceInProgress {
  return { ...withoutSilence(encoding), previousFrames: 0, tail: new Float32Array(0) };
}

export interface DecodedWindow {
  /** float32[frames * 600] of the window's own frames */
  readonly samples: Float32Array<ArrayBuffer>;
  /** undefined after the last window. */
  readonly next: SentenceInProgress | undefined;
}

export class WindowDecoder {
  readonly #model: Pick<SplitModel, "decode">;
  readonly #nowMs: () => number;
  /** Time to decode a frame, in frames: a moving mean, from the machine as it is now. */
  #pace = 0.4;

  constructor(model: Pick<SplitModel, "decode">, nowMs: () => number) {
    this.#model = model;
    this.#nowMs = nowMs;
  }

  async decodeWhole(encoding: Encoding): Promise<Float32Array<ArrayBuffer>> {
    const { encoding: part, from, end } = withoutSilence(encoding);
    const decoded = await this.#decode(part, 0, part.frames, 0);
    return decoded.slice(from * FRAME_SAMPLES, end * FRAME_SAMPLES);
  }

  /** @param aheadMs sound that the listener has and did not play yet: the window should take no longer. */
  async decodeNext(sentence: SentenceInProgress, aheadMs: number): Promise<DecodedWindow> {
    const { encoding, from, end: sentenceEnd, previousFrames, tail } = sentence;
    const progress = { previousFrames, aheadFrames: aheadMs / FRAME_MS };
    const leadFrames = Math.max(0, encoding.leadFrames - from);
    const size = windowSize(progress, leadFrames, this.#pace);
    const to = nextCut({ ...encoding, frames: sentenceEnd }, from, size, previousFrames === 0);
    const start = Math.max(0, from - CONTEXT_BEFORE_FRAMES);
    const end = Math.min(encoding.frames, to + CONTEXT_AFTER_FRAMES);
    const decoded = await this.#decode(encoding, start, end, from - start);
    const [first, last] = [(from - start) * FRAME_SAMPLES, (to - start) * FRAME_SAMPLES];
    const samples = decoded.slice(first, last);
    fadeOver(tail, samples);
    if (to === sentenceEnd) return { samples, next: undefined };
    const next = {
      encoding,
      from: to,
      end: sentenceEnd,
      previousFrames: to - from,
      tail: decoded.slice(last, last + FADE_SAMPLES),
    };
    return { samples, next };
  }

  async #decode(
    encoding: Encoding,
    from: number,
    to: number,
    contextFrames: number,
  ): Promise<Float32Array<ArrayBuffer>> {
    const startMs = this.#nowMs();
    const samples = await this.#model.decode(encoding, from, to, contextFrames);
    const pace = (this.#nowMs() - startMs) / ((to - from) * FRAME_MS);
    this.#pace += PACE_WEIGHT * (pace - this.#pace);
    return samples;
  }
}

/** One slow window, after which the machine is itself again, must not decide alone. */
const PACE_WEIGHT = 0.3;
