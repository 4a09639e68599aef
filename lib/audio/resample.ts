/**
 * Changes the sample rate of a stream by a ratio of small whole numbers (24,000 -> 8,000, 16,000, 48,000 Hz): a polyphase
 * FIR, that is a windowed-sinc low-pass of which each output sample needs only the taps that meet a real input
 * sample (Crochiere and Rabiner, "Multirate Digital Signal Processing", 1983, chapter 2).
 *
 * The state lives across chunks: however the same input is cut, the output is bit for bit the same, so a join
 * between two chunks cannot click. The filter is centred (no delay in the result); what it looks ahead is paid by
 * `flush`, which gives the last samples. Memory: one filter length, whatever the length of the stream.
 */
import { SpeechError } from "../errors.ts";

/** Zero crossings of the sinc on each side of its centre, at the lower of the two rates. */
const ZERO_CROSSINGS = 32;
/**
 * Kaiser window with 80 dB and more of stop band (Kaiser 1974: beta = 0.1102 (A - 8.7) = 7.9 for A = 80), and the
 * cut-off below the lower rate's Nyquist frequency by half of the transition band that this window needs with so many
 * taps: (A - 8) / (2.285 * 2 pi * 2 * ZERO_CROSSINGS) = 0.078 of the rate, half of which is 0.08 of Nyquist.
 */
const KAISER_BETA = 7.9;
const CUTOFF_OF_NYQUIST = 0.92;
/** Ratios beyond this would need a filter too long to make; no rate of ours comes near. */
const RATIO_TERM_MAX = 512;

export class StreamingResampler {
  readonly #up: number;
  readonly #down: number;
  readonly #halfTaps: number;
  /** One filter a phase, each `2 * halfTaps` long, time-reversed so that it is walked along the input. */
  readonly #phases: Float64Array[];
  /** Input not yet done with; index 0 is input sample `#firstInput`. Starts with the silence before the stream. */
  #pending: Float32Array;
  #firstInput: number;
  #inputSamples = 0;
  #outputSamples = 0;

  /** @throws {SpeechError} INVALID_REQUEST when a rate is no positive whole number or the ratio is too odd. */
  constructor(fromHz: number, toHz: number) {
    const divisor = greatestCommonDivisor(fromHz, toHz);
    this.#up = toHz / divisor;
    this.#down = fromHz / divisor;
    const isUsable =
      Number.isInteger(fromHz) &&
      Number.isInteger(toHz) &&
      fromHz > 0 &&
      toHz > 0 &&
      Math.max(this.#up, this.#down) <= RATIO_TERM_MAX;
    if (!isUsable) throw new SpeechError("INVALID_REQUEST", `cannot resample from ${fromHz} to ${toHz} Hz`);
    const isSame = this.#up === this.#down;
    // Counted in input samples: going down, the sinc is as much wider as the output rate is lower.
    this.#halfTaps = isSame ? 0 : Math.ceil(ZERO_CROSSINGS * Math.max(1, this.#down / this.#up));
    this.#phases = isSame ? [] : makePhases(this.#up, this.#down, this.#halfTaps);
    this.#pending = new Float32Array(this.#halfTaps);
    this.#firstInput = -this.#halfTaps;
  }

  /** Output samples that became certain by this input; often fewer than its share, the rest comes later. */
  push(samples: Float32Array): Float32Array {
    if (this.#halfTaps === 0) return samples;
    this.#inputSamples += samples.length;
    const pending = new Float32Array(this.#pending.length + samples.length);
    pending.set(this.#pending);
    pending.set(samples, this.#pending.length);
    const knownInput = this.#firstInput + pending.length;
    // Output n lies at input n * down / up and needs input up to floor(that) + halfTaps.
    const lastCentre = knownInput - 1 - this.#halfTaps;
    const producible = lastCentre < 0 ? 0 : Math.ceil(((lastCentre + 1) * this.#up) / this.#down);
    return this.#produce(pending, producible);
  }

  /** The last samples. Together with those before, `ceil(input * toHz / fromHz)`. Begins anew afterwards. */
  flush(): Float32Array {
    if (this.#halfTaps === 0) return new Float32Array(0);
    const total = Math.ceil((this.#inputSamples * this.#up) / this.#down);
    const pending = new Float32Array(this.#pending.length + this.#halfTaps + 1);
    pending.set(this.#pending);
    const tail = this.#produce(pending, total);
    this.#pending = new Float32Array(this.#halfTaps);
    this.#firstInput = -this.#halfTaps;
    this.#inputSamples = 0;
    this.#outputSamples = 0;
    return tail;
  }

  #produce(pending: Float32Array, untilOutput: number): Float32Array {
    const output = new Float32Array(Math.max(0, untilOutput - this.#outputSamples));
    const taps = 2 * this.#halfTaps;
    for (let i = 0; i < output.length; i++) {
      const at = (this.#outputSamples + i) * this.#down;
      const phase = this.#phases[at % this.#up]!;
      const first = Math.floor(at / this.#up) - this.#halfTaps + 1 - this.#firstInput;
      let sum = 0;
      for (let k = 0; k < taps; k++) sum += phase[k]! * pending[first + k]!;
      output[i] = sum;
    }
    this.#outputSamples += output.length;
    const nextCentre = Math.floor((this.#outputSamples * this.#down) / this.#up);
    const keepFrom = Math.max(
      0,
      Math.min(pending.length, nextCentre - this.#halfTaps + 1 - this.#firstInput),
    );
    this.#pending = pending.slice(keepFrom);
    this.#firstInput += keepFrom;
    return output;
  }
}

/** A whole signal at once. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampler = new StreamingResampler(fromHz, toHz);
  const head = resampler.push(samples);
  const tail = resampler.flush();
  const whole = new Float32Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** Tap k of phase p weighs input `floor(at) - halfTaps + 1 + k` of an output that lies p / up behind `floor(at)`. */
function makePhases(up: number, down: number, halfTaps: number): Float64Array[] {
  const cutoff = CUTOFF_OF_NYQUIST * Math.min(1, up / down); // of the input's Nyquist frequency
  return Array.from({ length: up }, (_, phase) => {
    const taps = new Float64Array(2 * halfTaps);
    let sum = 0;
    for (let k = 0; k < taps.length; k++) {
      const distance = k - halfTaps + 1 - phase / up; // in input samples
      taps[k] = sinc(cutoff * distance) * kaiser(distance / halfTaps);
      sum += taps[k]!;
    }
    // Each phase is scaled to pass a constant unchanged: no ripple at the output rate.
    for (let k = 0; k < taps.length; k++) taps[k]! /= sum;
    return taps;
  });
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) > 1 ? 0 : besselI0(KAISER_BETA * Math.sqrt(1 - x * x)) / besselI0(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x;
}
