import { describe, expect, it } from "vitest";
import { type Encoding, FRAME_MS, FRAME_SAMPLES } from "../../../lib/kokoro/encoding.ts";
import {
  beginSentence,
  type SentenceInProgress,
  WindowDecoder,
} from "../../../lib/kokoro/windowed-decoding.ts";

function encodingOf(frames: number): Encoding {
  return {
    frames,
    features: new Float32Array(frames),
    pitch: new Float32Array(2 * frames),
    energy: new Float32Array(2 * frames),
    timbre: new Float32Array(128),
    leadFrames: 12,
  };
}

/** A decoder whose sample n of the sentence is always n: right windows, joined rightly, count up. */
function countingDecoder(msPerFrame: number) {
  const calls: [number, number, number][] = [];
  let nowMs = 0;
  const model = {
    decode: async (_: Encoding, from: number, to: number, contextFrames = 0) => {
      calls.push([from, to, contextFrames]);
      nowMs += msPerFrame * (to - from);
      return Float32Array.from({ length: (to - from) * FRAME_SAMPLES }, (_, i) => from * FRAME_SAMPLES + i);
    },
  };
  return { decoder: new WindowDecoder(model, () => nowMs), calls, nowMs: () => nowMs };
}
type CountingDecoder = ReturnType<typeof countingDecoder>;

async function decodeAll({ decoder, nowMs }: CountingDecoder, encoding: Encoding): Promise<Float32Array[]> {
  const windows: Float32Array[] = [];
  let sentence: SentenceInProgress | undefined = beginSentence(encoding);
  let aheadMs = 0;
  while (sentence) {
    const startMs = nowMs();
    const { samples, next } = await decoder.decodeNext(structuredClone(sentence), aheadMs);
    const spentMs = aheadMs === 0 ? 0 : nowMs() - startMs;
    aheadMs = Math.max(0, aheadMs - spentMs) + (samples.length / FRAME_SAMPLES) * FRAME_MS;
    windows.push(samples);
    sentence = next;
  }
  return windows;
}

describe("windowed decoding", () => {
  it.each([1, 5, 36, 47, 48, 49, 258, 900])("gives all samples of %i frames, in order", async (frames) => {
    const windows = await decodeAll(countingDecoder(10), encodingOf(frames));
    const joined = windows.flatMap((samples) => [...samples]);
    expect(joined).toHaveLength(frames * FRAME_SAMPLES);
    expect(joined.findIndex((sample, index) => Math.abs(sample - index) > 0.1)).toBe(-1);
  });

  it.each([60, 258, 900])(
    "leaves out silence at head and tail of %i frames, in windows as whole",
    async (frames) => {
      const encoding = encodingOf(frames);
      encoding.energy.fill(-9, 0, 2 * 10);
      encoding.energy.fill(-9, 2 * (frames - 18));
      const counting = countingDecoder(10);
      const windows = (await decodeAll(counting, encoding)).flatMap((samples) => [...samples]);
      const whole = await counting.decoder.decodeWhole(encoding);
      // Two frames are kept in front of the sound, six behind it.
      expect(whole).toHaveLength((frames - 18 + 6 - 8) * FRAME_SAMPLES);
      // Of the rest, four on both sides are decoded.
      expect(whole[0]).toBe(4 * FRAME_SAMPLES);
      expect(windows).toHaveLength(whole.length);
      expect(windows.findIndex((sample, index) => Math.abs(sample - whole[index]!) > 0.1)).toBe(-1);
      expect(Math.max(...counting.calls.map(([, to]) => to))).toBe(frames - 18 + 6 - 8 + 4 + 4);
    },
  );

  it("decodes with context in front from the second window on", async () => {
    const counting = countingDecoder(10);
    const windows = await decodeAll(counting, encodingOf(258));
    const { calls } = counting;
    expect(calls[0]).toMatchObject({ 0: 0, 2: 0 });
    expect(calls[1]![2]).toBe(16);
    expect(calls[1]![0]).toBe(windows[0]!.length / FRAME_SAMPLES - 16);
    expect(calls.at(-1)![1]).toBe(258);
  });

  it("takes longer windows where the machine proves fast", async () => {
    const [fast, slow] = [countingDecoder(1), countingDecoder(15)];
    for (const { decoder } of [fast, slow])
      for (let k = 0; k < 5; k++) await decoder.decodeWhole(encodingOf(50));
    const [few, many] = [await decodeAll(fast, encodingOf(500)), await decodeAll(slow, encodingOf(500))];
    expect(few.length).toBeLessThan(many.length);
  });
});
