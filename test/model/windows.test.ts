/** A sentence in windows against the same sentence whole: as long, as loud, as smooth, and much earlier heard. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { startWorkerSynthesizer } from "../../lib/kokoro/worker-synthesizer.ts";
import { MODEL_DIR } from "./model-under-test.ts";

const TEXT =
  "The quick brown fox jumps over the lazy dog near the bank of the river, and then it runs home again.";
const FRAME_SAMPLES = 600;
const NEVER = new AbortController().signal;

interface Spoken {
  readonly samples: Float32Array;
  /** Samples in each segment. */
  readonly lengths: readonly number[];
}

describe.skipIf(!MODEL_DIR)("a sentence in windows", () => {
  let synthesizer: Synthesizer;
  beforeAll(async () => {
    synthesizer = await startWorkerSynthesizer({ modelDir: MODEL_DIR!, workers: 1, threadsPerWorker: 2 });
  });
  afterAll(() => synthesizer.close());

  async function speak(voice: string, windows: boolean | undefined, text = TEXT): Promise<Spoken> {
    const segments: Float32Array[] = [];
    for await (const { samples } of synthesizer.synthesize({ text, voice, speed: 1, windows }, NEVER)) {
      segments.push(samples);
    }
    return {
      samples: Float32Array.from(segments.flatMap((segment) => [...segment])),
      lengths: segments.map((segment) => segment.length),
    };
  }

  /** The text both ways, spoken once for all tests: a sentence takes seconds. */
  const spoken = new Map<string, { whole: Spoken; windowed: Spoken }>();
  async function speakBothWays(voice: string) {
    const known = spoken.get(voice);
    if (known) return known;
    const both = { whole: await speak(voice, false), windowed: await speak(voice, true) };
    spoken.set(voice, both);
    return both;
  }

  it.each(["af_heart", "am_michael", "bf_emma"])("is what it is whole (%s)", async (voice) => {
    const { whole, windowed } = await speakBothWays(voice);
    expect(whole.lengths).toHaveLength(1);
    expect(windowed.lengths.length).toBeGreaterThan(2);
    expect(windowed.samples.length).toBe(whole.samples.length);

    // The decoder normalizes over what it sees, so the waveforms are alike, not equal. Without the voice's phase
    // carried over (lib/kokoro/encoding.ts) the correlation is about zero.
    const levelDb = 20 * Math.log10(rms(windowed.samples) / rms(whole.samples));
    expect(Math.abs(levelDb)).toBeLessThan(1);
    expect(correlation(whole.samples, windowed.samples)).toBeGreaterThan(0.5);
  });

  it.each(["af_heart", "am_michael", "bf_emma"])("has no click at a join (%s)", async (voice) => {
    const { whole, windowed } = await speakBothWays(voice);
    const largest = largestStep(whole.samples, 1, whole.samples.length);
    let join = 0;
    for (const length of windowed.lengths.slice(0, -1)) {
      join += length;
      expect(largestStep(windowed.samples, join - FRAME_SAMPLES, join + FRAME_SAMPLES)).toBeLessThanOrEqual(
        largest,
      );
      // The step from one segment to the next is one of its neighbourhood.
      const around = largestStep(windowed.samples, join - FRAME_SAMPLES, join);
      expect(largestStep(windowed.samples, join, join + 1)).toBeLessThanOrEqual(around + 0.01);
    }
  });

  it("is heard after a small part of it, by default", async () => {
    const { lengths } = await speak("af_heart", undefined);
    const frames = lengths.reduce((sum, length) => sum + length, 0) / FRAME_SAMPLES;
    // Silence in front, and as many frames of speech as the slowest machine begins with.
    expect(lengths[0]! / FRAME_SAMPLES).toBeLessThanOrEqual(8 + 48);
    expect(frames).toBeGreaterThan(200);
  });

  it("stays one segment where it is short", async () => {
    expect((await speak("af_heart", true, "Yes.")).lengths).toHaveLength(1);
  });

  it("can be cancelled between windows", async () => {
    const caller = new AbortController();
    let segments = 0;
    const call = (async () => {
      const request = { text: TEXT, voice: "af_heart", speed: 1 };
      for await (const _ of synthesizer.synthesize(request, caller.signal)) {
        segments++;
        caller.abort();
      }
    })();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(segments).toBe(1);
  });

  it("lets a short answer in before a long sentence goes on", async () => {
    const order: string[] = [];
    const listen = async (text: string, name: string) => {
      for await (const _ of synthesizer.synthesize({ text, voice: "af_heart", speed: 1 }, NEVER))
        order.push(name);
    };
    const long = listen(`${TEXT.slice(0, -1)}, and ${TEXT.toLowerCase()}`, "long");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([long, listen("Yes.", "short")]);
    expect(order.indexOf("short")).toBeLessThanOrEqual(2);
    expect(order.length).toBeGreaterThan(order.indexOf("short") + 1);
  });
});

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

function correlation(one: Float32Array, other: Float32Array): number {
  const product = one.reduce((sum, sample, index) => sum + sample * other[index]!, 0);
  return product / one.length / (rms(one) * rms(other));
}

/** Largest difference of two samples in a row, the second of which lies between `from` and `to`. */
function largestStep(samples: Float32Array, from: number, to: number): number {
  let largest = 0;
  for (let index = from; index < to; index++) {
    largest = Math.max(largest, Math.abs(samples[index]! - samples[index - 1]!));
  }
  return largest;
}
