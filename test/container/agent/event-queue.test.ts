import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EventQueue } from "../../../container/agent/event-queue.ts";

const queueOf = (capacity = 2) => new EventQueue<number>({ capacity, starvedAfterMs: 1_000 });

async function readAll(queue: EventQueue<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

/** Whether a promise has settled once everything that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("EventQueue", () => {
  afterEach(() => vi.useRealTimers());

  it("gives items in the order of their arrival, whichever producer they came from", async () => {
    const queue = queueOf(10);
    queue.put(1);
    queue.put(2);
    queue.put(3);
    queue.end();
    expect(await readAll(queue)).toEqual([1, 2, 3]);
  });

  it("makes every producer wait while it is over its capacity, and lets them go when it is read", async () => {
    const queue = queueOf(2);
    queue.put(1);
    queue.put(2);
    expect(await isSettled(queue.room())).toBe(true);
    queue.put(3);
    const first = queue.room();
    queue.put(4);
    const second = queue.room();
    expect(await isSettled(first)).toBe(false);

    const reader = queue[Symbol.asyncIterator]();
    await reader.next();
    expect(await isSettled(second)).toBe(false);
    await reader.next();
    expect(await isSettled(first)).toBe(true);
    expect(await isSettled(second)).toBe(true);
  });

  it("delivers what is queued before the reason of a failure", async () => {
    const queue = queueOf();
    queue.put(1);
    queue.fail(new Error("broken"));
    queue.fail(new Error("an echo"));
    queue.put(2);
    const reader = queue[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: 1, done: false });
    await expect(reader.next()).rejects.toThrow("broken");
    await expect(queue.room()).rejects.toThrow("broken");
  });

  it("drops what is queued and frees its producers when it is abandoned, even after its end", async () => {
    const queue = queueOf(0);
    queue.put(1);
    const room = queue.room();
    queue.abandon(new Error("left"));
    await expect(room).rejects.toThrow("left");
    await expect(readAll(queue)).rejects.toThrow("left");

    const ended = queueOf();
    ended.put(1);
    ended.end();
    ended.abandon(new Error("left"));
    await expect(readAll(ended)).rejects.toThrow("left");
  });

  it("wakes a reader that waits", async () => {
    const queue = queueOf();
    const all = readAll(queue);
    await new Promise((resolve) => setImmediate(resolve));
    queue.put(7);
    queue.end();
    expect(await all).toEqual([7]);
  });

  it("fails a reader that nothing comes to, and only one that waits", async () => {
    vi.useFakeTimers();
    const queue = queueOf();
    const reader = queue[Symbol.asyncIterator]();
    queue.put(1);
    await reader.next();
    // A slow reader is no starved one.
    await vi.advanceTimersByTimeAsync(60_000);
    const next = reader.next();
    const refused = expect(next).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
  });

  it("keeps order and bound however producers and reader interleave", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
        fc.scheduler(),
        async (capacity, producerCounts, scheduler) => {
          const queue = queueOf(capacity);
          const arrived: number[] = [];
          let held = 0;
          let mostHeld = 0;
          const producers = producerCounts.map(async (count, producer) => {
            for (let index = 0; index < count; index++) {
              await scheduler.schedule(Promise.resolve());
              const item = producer * 100 + index;
              queue.put(item);
              arrived.push(item);
              mostHeld = Math.max(mostHeld, ++held);
              await queue.room();
            }
          });
          void Promise.all(producers).then(() => queue.end());
          const read: number[] = [];
          const reading = (async () => {
            for await (const item of queue) {
              read.push(item);
              held--;
              await scheduler.schedule(Promise.resolve());
            }
          })();
          await scheduler.waitFor(reading);
          expect(read).toEqual(arrived);
          expect(mostHeld).toBeLessThanOrEqual(capacity + producerCounts.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
