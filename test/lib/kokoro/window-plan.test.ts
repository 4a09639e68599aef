import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CONTEXT_AFTER_FRAMES,
  CONTEXT_BEFORE_FRAMES,
  nextCut,
  windowSize,
} from "../../../lib/kokoro/window-plan.ts";

const curves = fc.integer({ min: 1, max: 600 }).chain((frames) =>
  fc.record({
    frames: fc.constant(frames),
    pitch: fc
      .array(fc.float({ min: 0, max: 400, noNaN: true }), { minLength: 2 * frames, maxLength: 2 * frames })
      .map((values) => Float32Array.from(values)),
    energy: fc
      .array(fc.float({ min: -10, max: 10, noNaN: true }), { minLength: 2 * frames, maxLength: 2 * frames })
      .map((values) => Float32Array.from(values)),
  }),
);

/** Windows of a sentence on a machine of constant speed: [from, to) each, and how far playing was ahead before each. */
function plan(encoding: Parameters<typeof nextCut>[0], leadFrames: number, pace: number, aheadFrames = 0) {
  const windows: { from: number; to: number; aheadFrames: number }[] = [];
  let progress = { from: 0, previousFrames: 0, aheadFrames };
  while (progress.from < encoding.frames) {
    const { from } = progress;
    const to = nextCut(encoding, from, windowSize(progress, leadFrames, pace), from === 0);
    windows.push({ from, to, aheadFrames: progress.aheadFrames });
    const spent =
      progress.aheadFrames === 0 ? 0 : pace * (to - from + CONTEXT_BEFORE_FRAMES + CONTEXT_AFTER_FRAMES);
    progress = {
      from: to,
      previousFrames: to - from,
      aheadFrames: Math.max(0, progress.aheadFrames - spent) + (to - from),
    };
  }
  return windows;
}

function flat(frames: number) {
  return { frames, pitch: new Float32Array(2 * frames), energy: new Float32Array(2 * frames) };
}

describe("window plan", () => {
  it("covers every frame once, in order, whatever the sentence and the machine", () => {
    fc.assert(
      fc.property(
        curves,
        fc.nat(30),
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        (encoding, lead, pace) => {
          const windows = plan(encoding, lead, pace);
          expect(windows[0]!.from).toBe(0);
          expect(windows.at(-1)!.to).toBe(encoding.frames);
          for (const [index, { from, to }] of windows.entries()) {
            expect(to).toBeGreaterThan(from);
            if (index > 0) expect(from).toBe(windows[index - 1]!.to);
          }
        },
      ),
    );
  });

  it("begins small, whatever the sentence's length", () => {
    fc.assert(
      fc.property(curves, fc.nat(30), (encoding, lead) => {
        expect(plan(encoding, lead, 0.4)[0]!.to).toBeLessThanOrEqual(
          Math.max((lead + 40) * 1.3, lead + 40 + 20),
        );
      }),
    );
  });

  it.each([
    [0.1, 24],
    [0.37, 35],
    [0.45, 48],
    [2, 48],
  ])("begins as long as a machine of pace %d needs for the second window: %i frames", (pace, frames) => {
    expect(windowSize({ previousFrames: 0, aheadFrames: 0 }, 0, pace).wanted).toBe(frames);
  });

  it("lets no listener run dry on a machine that is fast enough", () => {
    fc.assert(
      fc.property(curves, fc.double({ min: 0.05, max: 0.33, noNaN: true }), (encoding, pace) => {
        for (const { from, to, aheadFrames } of plan(encoding, 12, pace).slice(1)) {
          // The last window has no context behind it. A fifth is kept for jitter, whatever the leeway of the cut took.
          const behind = to === encoding.frames ? 0 : CONTEXT_AFTER_FRAMES;
          const spent = pace * (to - from + CONTEXT_BEFORE_FRAMES + behind);
          expect(spent).toBeLessThanOrEqual(aheadFrames * 0.8 + pace);
        }
      }),
    );
  });

  it("grows, and grows faster on a faster machine", () => {
    const lengths = plan(flat(600), 12, 0.2).map(({ from, to }) => to - from);
    expect(lengths.length).toBeLessThan(8);
    expect(lengths.slice(0, -1)).toEqual([...lengths.slice(0, -1)].sort((a, b) => a - b));
    expect(plan(flat(600), 12, 0.4).length).toBeGreaterThan(lengths.length);
  });

  it("begins with a long window for a listener who has much in hand", () => {
    expect(plan(flat(600), 12, 0.35, 200)[0]!.to).toBeGreaterThan(100);
  });

  it("makes nobody else wait for more than 3 s of sound and its context", () => {
    fc.assert(
      fc.property(
        curves,
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        fc.nat(5_000),
        (encoding, pace, ahead) => {
          for (const { from, to } of plan(encoding, 12, pace, ahead)) {
            expect(to - from).toBeLessThanOrEqual(120 + CONTEXT_AFTER_FRAMES);
          }
        },
      ),
    );
  });

  it("does not fall into crumbs on a machine that is too slow", () => {
    expect(plan(flat(600), 12, 2).length).toBeLessThan(8);
  });

  it("cuts where it is quiet, before where a voice is", () => {
    const encoding = flat(200);
    encoding.energy.fill(5);
    encoding.pitch.fill(200);
    encoding.energy[2 * 44] = -8;
    encoding.energy[2 * 44 - 1] = -8;
    expect(nextCut(encoding, 10, { wanted: 40, most: 60 }, false)).toBe(44);
    encoding.energy.fill(5);
    encoding.pitch[2 * 37] = 0;
    encoding.pitch[2 * 37 - 1] = 0;
    expect(nextCut(encoding, 0, { wanted: 40, most: 40 }, true)).toBe(37);
  });

  it("leaves no rest that is not worth a window", () => {
    expect(nextCut(flat(50), 0, { wanted: 40, most: 40 }, true)).toBe(50);
    expect(nextCut(flat(60), 0, { wanted: 40, most: 40 }, true)).toBe(60);
    expect(nextCut(flat(61), 0, { wanted: 40, most: 40 }, true)).toBeLessThan(61);
  });
});
