import { expect, test } from "vitest";
import { type PaceClock, paceTokens } from "../../../lib/local/bedrock-pacing.ts";

/** Sleeping moves the clock, by `lateMs` more than asked. */
function fakeClock(lateMs = 0): PaceClock & { nowMs: () => number; pass: (ms: number) => void } {
  let now = 1_000;
  return {
    nowMs: () => now,
    sleep: async (durationMs, signal) => {
      signal.throwIfAborted();
      now += durationMs + lateMs;
    },
    pass: (ms) => {
      now += ms;
    },
  };
}

const PACE = { firstTokenMs: 500, tokensPerSecond: 50 };
const tokens = Array.from({ length: 6 }, (_, i) => `t${i}`);
const never = new AbortController().signal;

async function arrivals(clock: ReturnType<typeof fakeClock>, onToken: (i: number) => void = () => {}) {
  const times: number[] = [];
  for await (const _ of paceTokens(tokens, PACE, 1_000, never, clock)) {
    times.push(clock.nowMs() - 1_000);
    onToken(times.length - 1);
  }
  return times;
}

test("the first piece comes after firstTokenMs, the others at the rate", async () => {
  expect(await arrivals(fakeClock())).toEqual([500, 520, 540, 560, 580, 600]);
});

test("timers that fire late do not add up", async () => {
  expect(await arrivals(fakeClock(7))).toEqual([507, 527, 547, 567, 587, 607]);
});

test("after a slow reader the overdue pieces come at once, the rest on schedule", async () => {
  const clock = fakeClock();
  expect(await arrivals(clock, (i) => i === 1 && clock.pass(50))).toEqual([500, 520, 570, 570, 580, 600]);
});

test("an abort ends it with the abort's reason", async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const run = async () => {
    for await (const token of paceTokens(tokens, PACE, 1_000, stop.signal, fakeClock())) {
      seen.push(token);
      if (seen.length === 2) stop.abort(new Error("left"));
    }
  };
  await expect(run()).rejects.toThrow("left");
  expect(seen).toEqual(["t0", "t1"]);
});
