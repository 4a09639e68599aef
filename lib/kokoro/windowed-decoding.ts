/**
 * A sentence decoded window by window: each step takes the state that the step before left, so any worker can go on
 * with it and others get their turn in between. Silence at head and tail is left out (silence.ts); the windows' lengths add up
 * to the kept frames x 600 samples exactly, as many as whole decoding gives.
 */
import { FADE_SAMPLES, fadeOver } from "./cross-fade.ts";
import { type Encoding, FRAME_MS, FRAME_SAMPLES } from "./encoding.ts";
import { withoutSilence } from "./silence.ts";
import type { SplitModel } from "./split-model.ts";
import {
  CONTEXT_AFTER_FRAMES,
  CONTEXT_BEFORE_FRAMES,
  nextCut,
  type WindowSize,
  windowSize,
} from "./window-plan.ts";

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

  /** All at once; in as few windows as can be where memory would grow with its length. */
  async decodeWhole(encoding: Encoding): Promise<Float32Array<ArrayBuffer>> {
    const sentence = beginSentence(encoding);
    const frames = sentence.end - sentence.from;
    const wanted = Math.ceil(frames / Math.ceil(frames / WHOLE_MAX_FRAMES));
    const samples = new Float32Array(frames * FRAME_SAMPLES);
    let done = 0;
    for (let next: SentenceInProgress | undefined = sentence; next !== undefined; ) {
      const to = cutOf(next, { wanted, most: WHOLE_MAX_FRAMES });
      const window: DecodedWindow = await this.#decodeTo(next, to);
      samples.set(window.samples, done);
      done += window.samples.length;
      next = window.next;
    }
    return samples;
  }

  /** @param aheadMs sound that the listener has and did not play yet: the window should take no longer. */
  async decodeNext(sentence: SentenceInProgress, aheadMs: number): Promise<DecodedWindow> {
    const { encoding, from, previousFrames } = sentence;
    const progress = { previousFrames, aheadFrames: aheadMs / FRAME_MS };
    const leadFrames = Math.max(0, encoding.leadFrames - from);
    return await this.#decodeTo(sentence, cutOf(sentence, windowSize(progress, leadFrames, this.#pace)));
  }

  async #decodeTo(sentence: SentenceInProgress, to: number): Promise<DecodedWindow> {
    const { encoding, from, end: sentenceEnd, tail } = sentence;
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

/**
 * 10 s. A sentence of 17 s decoded at once takes a worker's memory to 930 MiB, in two halves to 801 (2 threads, EPYC,
 * 2026-12-01); 7 % more is decoded, the context.
 */
const WHOLE_MAX_FRAMES = 400;

function cutOf({ encoding, from, end, previousFrames }: SentenceInProgress, size: WindowSize): number {
  return nextCut({ ...encoding, frames: end }, from, size, previousFrames === 0);
}

/** One slow window, after which the machine is itself again, must not decide alone. */
const PACE_WEIGHT = 0.3;
