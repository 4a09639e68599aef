import { describe, expect, it } from "vitest";
import { SeenEvents } from "../../../../lib/deploy/logs/seen-events.ts";

const event = (eventId: string, timestamp: number) => ({ eventId, timestamp });

describe("log events", () => {
  it("are shown once though they are asked for again", () => {
    const seen = new SeenEvents(0);
    expect(seen.take([event("a", 1), event("b", 2)])).toHaveLength(2);
    expect(seen.take([event("a", 1), event("b", 2), event("c", 2)])).toEqual([event("c", 2)]);
  });

  it("that come late are shown too", () => {
    const seen = new SeenEvents(0);
    seen.take([event("b", 20_000)]);
    expect(seen.fromMs).toBe(10_000);
    expect(seen.take([event("a", 15_000), event("b", 20_000)])).toEqual([event("a", 15_000)]);
  });

  it("are never asked for from before the beginning", () => {
    const seen = new SeenEvents(5_000);
    expect(seen.fromMs).toBe(5_000);
    seen.take([event("a", 6_000)]);
    expect(seen.fromMs).toBe(5_000);
  });
});
