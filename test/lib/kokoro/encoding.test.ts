import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Encoding, featuresBetween, pitchBetween } from "../../../lib/kokoro/encoding.ts";

function encodingOf(pitch: Float32Array<ArrayBuffer>): Encoding {
  const frames = pitch.length / 2;
  return {
    frames,
    pitch,
    energy: new Float32Array(2 * frames),
    features: Float32Array.from({ length: 3 * frames }, (_, index) => index),
    timbre: new Float32Array(128),
    leadFrames: 0,
  };
}
const cycles = (pitch: Float32Array, to = pitch.length) =>
  pitch.subarray(0, to).reduce((sum, hz) => sum + hz / 80, 0);

describe("a window of an encoding", () => {
  it("has the features of its frames, channel by channel", () => {
    expect([...featuresBetween(encodingOf(new Float32Array(20)), 4, 6)]).toEqual([4, 5, 14, 15, 24, 25]);
  });

  it("has the voice's phase of the whole sentence, by the end of its context", () => {
    const pitches = fc.array(fc.float({ min: 0, max: 400, noNaN: true }), { minLength: 100, maxLength: 100 });
    fc.assert(
      fc.property(
        pitches,
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 5, max: 16 }),
        (values, from, context) => {
          const pitch = Float32Array.from(values);
          const part = pitchBetween(encodingOf(pitch), from, 50, context);
          const difference = cycles(pitch, 2 * (from + context)) - cycles(part, 2 * context);
          expect(Math.abs(difference - Math.round(difference))).toBeLessThan(0.001);
          // What is heard keeps its pitch, and nothing unvoiced becomes a voice.
          expect([...part.subarray(2 * context)]).toEqual([...pitch.subarray(2 * (from + context))]);
          expect(part.every((hz, index) => hz <= pitch[2 * from + index]!)).toBe(true);
        },
      ),
    );
  });

  it("keeps the pitch as it is where there is no context", () => {
    const pitch = Float32Array.from({ length: 20 }, () => 111);
    expect([...pitchBetween(encodingOf(pitch), 2, 10, 0)]).toEqual(Array(16).fill(111));
    expect([...pitch]).toEqual(Array(20).fill(111));
  });
});
