/**
 * A sentence decoded window by window: each step takes the state that the step before left, so any worker can go on
 * with it and others get their turn in between. The windows' lengths add up to frames x 600 samples exactly.
 */
import { FADE_SAMPLES, fadeOver } from "./cross-fade.ts";
import { type Encoding, FRAME_MS, FRAME_SAMPLES } from "./encoding.ts";
import type { SplitModel } from "./split-model.ts";
import { CONTEXT_AFTER_FRAMES, CONTEXT_BEFORE_FRAMES, nextCut, windowSize } from "./window-plan.ts";

/** Between two windows. Plain data: it passes between threads. */
export interface SentenceInProgress {
  readonly encoding: Encoding;
  /** First frame not decoded yet. */
  readonly from: number;
  /** Frames of the window before; 0 before the first. */
  readonly previousFrames: number;
  /** What the window before says after its end: FADE_SAMPLES of it, none before the first. */
  readonly tail: Float32Array<ArrayBuffer>;
}

export function beginSentence(encoding: Encoding): SentenceInProgress {
  return { encoding, from: 0, previousFrames: 0, tail: new Float32Array(0) };
}

export interface DecodedWindow {
  /** float32[frames * 600] */
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
    return await this.#decode(encoding, 0, encoding.frames, 0);
  }

  /** @param aheadMs sound that the listener has and did not play yet: the window should take no longer. */
  async decodeNext(sentence: SentenceInProgress, aheadMs: number): Promise<DecodedWindow> {
    const { encoding, from, previousFrames, tail } = sentence;
    const progress = { previousFrames, aheadFrames: aheadMs / FRAME_MS };
    const to = nextCut(encoding, from, windowSize(progress, encoding.leadFrames, this.#pace));
    const start = Math.max(0, from - CONTEXT_BEFORE_FRAMES);
    const end = Math.min(encoding.frames, to + CONTEXT_AFTER_FRAMES);
    const decoded = await this.#decode(encoding, start, end, from - start);
    const [first, last] = [(from - start) * FRAME_SAMPLES, (to - start) * FRAME_SAMPLES];
    const samples = decoded.slice(first, last);
    fadeOver(tail, samples);
    if (to === encoding.frames) return { samples, next: undefined };
    const next = {
      encoding,
      from: to,
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
