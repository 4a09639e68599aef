import { MPEGDecoder } from "mpg123-decoder";
import { describe, expect, test } from "vitest";
import { createMp3Encoder } from "../../../lib/audio/mp3.ts";

describe("createMp3Encoder", () => {
  test.each([8_000, 16_000, 24_000, 48_000])("makes a stream that a decoder plays at %i Hz", async (rate) => {
    const pitchHz = 440;
    const mp3 = await encode(tone(pitchHz, rate, rate * 2), rate, 777);
    const audio = await decode(mp3);
    expect(audio.sampleRate).toBe(rate);
    expect(audio.errors).toEqual([]);
    // The encoder's own delay and the last frame's padding: at most a few frames of 576 or 1,152 samples.
    expect(audio.samples.length).toBeGreaterThanOrEqual(rate * 2);
    expect(audio.samples.length).toBeLessThan(rate * 2 + 5 * 1_152);
    const middle = audio.samples.slice(rate * 0.5, rate * 1.5);
    expect(crossings(middle)).toBeGreaterThan(pitchHz - 3);
    expect(crossings(middle)).toBeLessThan(pitchHz + 3);
    expect(Math.max(...middle)).toBeGreaterThan(0.4);
    expect(Math.max(...middle)).toBeLessThan(0.6);
  });

  test("makes the same bytes however the samples are sliced", async () => {
    const samples = tone(300, 24_000, 30_000);
    const whole = await encode(samples, 24_000, samples.length);
    expect((await encode(samples, 24_000, 1_001)).equals(whole)).toBe(true);
    expect((await encode(samples, 24_000, 6_000)).equals(whole)).toBe(true);
  });

  test("two streams at once do not mix", async () => {
    const [a, b] = await Promise.all([createMp3Encoder(24_000), createMp3Encoder(24_000)]);
    const low = tone(200, 24_000, 24_000);
    const high = tone(2_000, 24_000, 24_000);
    const parts: Buffer[][] = [[], []];
    for (let at = 0; at < low.length; at += 6_000) {
      parts[0]!.push(Buffer.from(a.encode(low.subarray(at, at + 6_000))));
      parts[1]!.push(Buffer.from(b.encode(high.subarray(at, at + 6_000))));
    }
    parts[0]!.push(Buffer.from(a.flush()));
    parts[1]!.push(Buffer.from(b.flush()));
    expect(Buffer.concat(parts[0]!).equals(await encode(low, 24_000, 6_000))).toBe(true);
    expect(Buffer.concat(parts[1]!).equals(await encode(high, 24_000, 6_000))).toBe(true);
  });

  test("takes no samples at all", async () => {
    const encoder = await createMp3Encoder(24_000);
    expect(encoder.encode(new Float32Array(0))).toHaveLength(0);
    expect(encoder.flush().length).toBeGreaterThanOrEqual(0);
  });
});

async function encode(samples: Float32Array, rateHz: number, sliceSamples: number): Promise<Buffer> {
  const encoder = await createMp3Encoder(rateHz);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += sliceSamples) {
    parts.push(encoder.encode(samples.subarray(at, at + sliceSamples)));
  }
  parts.push(encoder.flush());
  return Buffer.concat(parts);
}

async function decode(mp3: Uint8Array) {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(mp3);
  decoder.free();
  return { samples: channelData[0]!, sampleRate, errors };
}

function tone(pitchHz: number, rateHz: number, samples: number): Float32Array {
  return new Float32Array(samples).map((_, i) => Math.sin((2 * Math.PI * pitchHz * i) / rateHz) * 0.5);
}

/** Times the wave rises through zero. */
function crossings(samples: Float32Array): number {
  let count = 0;
  for (let i = 1; i < samples.length; i++) if (samples[i - 1]! < 0 && samples[i]! >= 0) count++;
  return count;
}
