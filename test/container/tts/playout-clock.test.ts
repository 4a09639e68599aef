import { expect, test } from "vitest";
import { PlayoutClock } from "../../../container/tts/playout-clock.ts";

test("who heard nothing yet is due at once", () => {
  expect(new PlayoutClock().deadlineMs(1_000)).toBe(1_000);
});

test("who has audio in hand is due when it ends, however fast it came", () => {
  const playout = new PlayoutClock();
  playout.played(500, 1_000);
  playout.played(500, 1_010);
  expect(playout.deadlineMs(1_020)).toBe(2_000);
});

test("after running dry the next audio counts from its own moment", () => {
  const playout = new PlayoutClock();
  playout.played(500, 1_000);
  expect(playout.deadlineMs(9_000)).toBe(9_000);
  playout.played(500, 9_000);
  expect(playout.deadlineMs(9_100)).toBe(9_500);
});
