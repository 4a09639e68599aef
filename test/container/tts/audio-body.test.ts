import { describe, expect, test } from "vitest";
import { createAudioBodyEncoder } from "../../../container/tts/audio-body.ts";
import { toPcm16 } from "../../../lib/audio/pcm16.ts";
import { readWav } from "../../../lib/audio/wav.ts";

const slice = Float32Array.of(0, 0.5, -0.5, 1);

describe("createAudioBodyEncoder", () => {
  test("wav has a head, with its sizes when they are known", async () => {
    const encoder = await createAudioBodyEncoder("wav", 16_000);
    const piece = encoder.encode(slice);
    const whole = Buffer.concat([encoder.head(piece.length), piece, encoder.tail()]);
    expect(readWav(whole)).toMatchObject({ sampleRateHz: 16_000, channels: 1 });
    expect(Buffer.from(readWav(whole).pcm16).equals(Buffer.from(toPcm16(slice)))).toBe(true);
    expect(Buffer.from(encoder.head()).readUInt32LE(40)).toBe(0xffffffff);
  });

  test("pcm is the samples and nothing else", async () => {
    const encoder = await createAudioBodyEncoder("pcm", 24_000);
    expect([encoder.head().length, encoder.tail().length]).toEqual([0, 0]);
    expect(encoder.encode(slice)).toEqual(toPcm16(slice));
  });

  test("mp3 begins with a frame of MPEG layer III and has a tail", async () => {
    const encoder = await createAudioBodyEncoder("mp3", 24_000);
    expect(encoder.head()).toHaveLength(0);
    const pieces = Array.from({ length: 4 }, () => encoder.encode(new Float32Array(6_000)));
    const tail = encoder.tail();
    expect(tail.length).toBeGreaterThan(0);
    const bytes = Buffer.concat([...pieces, tail]);
    // 11 bits of sync, MPEG-2 (10), layer III (01): ISO/IEC 13818-3.
    expect(bytes.readUInt16BE(0) & 0xfffe).toBe(0xfff2);
  });
});
