import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAhead } from "../../../container/tts/read-ahead.ts";

const NEVER = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Counts up, and tells how far it was asked and whether it was ended. */
function counter(until: number, options: { failAt?: number } = {}) {
  const state = { given: 0, isEnded: false };
  async function* source() {
    try {
      for (let n = 1; n <= until; n++) {
        await settled();
        if (n === options.failAt) throw new Error("broke");
        state.given = n;
        yield n;
      }
    } finally {
      state.isEnded = true;
    }
  }
  return { state, source: source() };
}

const options = (aheadMax: number, signal = NEVER) => ({ sizeOf: (n: number) => n, aheadMax, signal });

describe("readAhead", () => {
  test("gives everything in order, whatever the bound and whoever is slower", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20),
        fc.nat(30),
        fc.array(fc.boolean(), { maxLength: 20 }),
        async (until, aheadMax, pauses) => {
          const got: number[] = [];
          for await (const n of readAhead(counter(until).source, options(aheadMax))) {
            got.push(n);
            if (pauses[n]) for (let i = 0; i < 5; i++) await settled();
          }
          expect(got).toEqual(Array.from({ length: until }, (_, i) => i + 1));
        },
      ),
      { numRuns: 50 },
    );
  });

  test("goes on while the reader pauses, up to the bound and one item", async () => {
    const { state, source } = counter(100);
    const reader = readAhead(source, options(10));
    await reader.next();
    for (let i = 0; i < 50; i++) await settled();
    // 2 + 3 + 4 = 9 may lie there, the 5 goes beyond.
    expect(state.given).toBe(5);
    await reader.return(undefined);
  });

  test("throws what the source threw, after the items before it", async () => {
    const got: number[] = [];
    const reading = async () => {
      for await (const n of readAhead(counter(9, { failAt: 4 }).source, options(100))) got.push(n);
    };
    await expect(reading()).rejects.toThrow("broke");
    expect(got).toEqual([1, 2, 3]);
  });

  test("ends the source when its reader leaves, also one that waits at the bound", async () => {
    for (const aheadMax of [0, 1_000]) {
      const { state, source } = counter(100);
      for await (const n of readAhead(source, options(aheadMax))) if (n === 3) break;
      for (let i = 0; i < 5; i++) await settled();
      expect(state.isEnded).toBe(true);
      expect(state.given).toBeLessThan(6);
    }
  });

  test("ends at once when the signal aborts, though the source never answers", async () => {
    async function* silent(): AsyncGenerator<number> {
      await new Promise(() => {});
    }
    const controller = new AbortController();
    const reason = new Error("gone");
    const next = readAhead(silent(), options(1, controller.signal)).next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });
});
