import { expect, test } from "vitest";
import { PlayoutClock } from "../../../container/tts/playout-clock.ts";

/** One who has heard audio for `audioMs` since 1,000. */
function listener(audioMs: number): PlayoutClock {
  const playout = new PlayoutClock();
  playout.begin(1_000);
  playout.played(audioMs, 1_000);
  return playout;
}

test("who has audio in hand is due when it ends, however fast it came", () => {
  const playout = listener(500);
  playout.played(500, 1_010);
  expect(playout.deadlineMs()).toBe(2_000);
  expect(playout.aheadMs(1_400)).toBe(600);
  playout.begin(1_500); // more text for the same listener changes nothing
  expect(playout.deadlineMs()).toBe(2_000);
});

test("who ran dry in the middle of a text is overdue since then, and has nothing in hand", () => {
  const playout = listener(500);
  expect(playout.deadlineMs()).toBe(1_500);
  expect(playout.aheadMs(9_000)).toBe(0);
});

test("after running dry the next audio counts from its own moment", () => {
  const playout = listener(500);
  playout.played(500, 9_000);
  expect(playout.deadlineMs()).toBe(9_500);
});

test("who hears nothing yet goes before who would hear a gap now, but not before who waits for long", () => {
  const newcomer = new PlayoutClock();
  newcomer.begin(10_000);
  expect(newcomer.aheadMs(10_000)).toBe(0);
  const dueNow = new PlayoutClock();
  dueNow.begin(9_000);
  dueNow.played(1_000, 9_000);
  expect(newcomer.deadlineMs()).toBeLessThan(dueNow.deadlineMs());
  expect(listener(500).deadlineMs()).toBeLessThan(newcomer.deadlineMs());
});

test("a text after silence is a new beginning, whenever the last one ended", () => {
  const playout = listener(500);
  playout.begin(60_000);
  const newcomer = new PlayoutClock();
  newcomer.begin(60_000);
  expect(playout.deadlineMs()).toBe(newcomer.deadlineMs());
});
