/** What can be said of a sound without ears. */
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";

export const SAMPLE_RATE_HZ = 24_000;
const NEVER = new AbortController().signal;

export interface Heard {
  readonly samples: Float32Array;
  readonly seconds: number;
  readonly segments: number;
  readonly inferenceMs: number;
  /** Root mean square of all samples; speech is about 0.05-0.15, silence below 0.001. */
  readonly rms: number;
  readonly peak: number;
}

export async function listen(
  synthesizer: Synthesizer,
  text: string,
  voice = "af_heart",
  speed = 1,
): Promise<Heard> {
  const parts: Float32Array[] = [];
  let inferenceMs = 0;
  for await (const segment of synthesizer.synthesize({ text, voice, speed }, NEVER)) {
    parts.push(segment.samples);
    inferenceMs += segment.inferenceMs;
  }
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    offset += part.length;
  }
  let squares = 0;
  let peak = 0;
  for (const sample of samples) {
    squares += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  return {
    samples,
    seconds: samples.length / SAMPLE_RATE_HZ,
    segments: parts.length,
    inferenceMs,
    rms: Math.sqrt(squares / samples.length),
    peak,
  };
}

export const words = (text: string): number => text.split(/\s+/).length;
