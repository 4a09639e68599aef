import fc from "fast-check";
import { expect, it } from "vitest";
import { HEAD_FRAMES, keptFrames, TAIL_FRAMES } from "../../../lib/kokoro/silence.ts";

const encodingOf = (energy: readonly number[]) => ({
  frames: energy.length / 2,
  energy: Float32Array.from(energy),
});

it("keeps all that is loud, a stated length around it, and nothing else", () => {
  const curves = fc.array(fc.tuple(fc.integer({ min: -10, max: 9 }), fc.integer({ min: -10, max: 9 })), {
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(curves, (pairs) => {
      const { from, to } = keptFrames(encodingOf(pairs.flat()));
      const loud = pairs.flatMap((pair, frame) => (Math.max(...pair) > -5 ? [frame] : []));
      const [first = HEAD_FRAMES, last = pairs.length] = [loud[0], loud.at(-1)];
      expect(from).toBe(Math.max(0, first - HEAD_FRAMES));
      expect(to).toBe(Math.min(pairs.length, last + 1 + TAIL_FRAMES));
    }),
  );
});

it("keeps a pause in the middle", () => {
  const energy = [...Array(20).fill(-9), 5, 5, ...Array(40).fill(-9), 5, 5, ...Array(60).fill(-9)];
  expect(keptFrames(encodingOf(energy))).toEqual({ from: 8, to: 32 + 6 });
});
