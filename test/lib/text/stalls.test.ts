import { setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { STALL, type StallTimers, withStalls } from "../../../lib/text/stalls.ts";

/** Time passes when the test says so. */
class HandTimers implements StallTimers {
  readonly #waiting = new Set<() => void>();
  set(onTime: () => void): unknown {
    this.#waiting.add(onTime);
    return onTime;
  }
  clear(timer: unknown): void {
    this.#waiting.delete(timer as () => void);
  }
  get running(): number {
    return this.#waiting.size;
  }
  pass(): void {
    for (const onTime of [...this.#waiting]) onTime();
  }
}

function scene() {
  const timers = new HandTimers();
  const more = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
  let isLeft = false;
  async function* source() {
    try {
      for (const { promise } of more) yield await promise;
    } finally {
      isLeft = true;
    }
  }
  const heard: (string | typeof STALL)[] = [];
  const reading = (async () => {
    for await (const delta of withStalls(source(), 500, timers)) {
      heard.push(delta);
      if (delta === "leave") return;
    }
  })();
  return { timers, more, heard, reading, isLeft: () => isLeft };
}

describe("withStalls", () => {
  it("tells a pause once, and goes on with the text", async () => {
    const { timers, more, heard, reading } = scene();
    more[0]!.resolve("One, ");
    await nextLoop();
    timers.pass();
    await nextLoop();
    timers.pass();
    await nextLoop();
    more[1]!.resolve("two, ");
    more[2]!.resolve("three.");
    await reading;
    expect(heard).toEqual(["One, ", STALL, "two, ", "three."]);
    expect(timers.running).toBe(0);
  });

  it("tells none while text comes", async () => {
    const { timers, more, heard, reading } = scene();
    for (const { resolve } of more) resolve("a ");
    await reading;
    expect(heard).toEqual(["a ", "a ", "a "]);
    expect(timers.running).toBe(0);
  });

  it("fails as its source does, also after a pause", async () => {
    const { timers, more, heard, reading } = scene();
    await nextLoop();
    timers.pass();
    more[0]!.reject(new Error("the model broke"));
    await expect(reading).rejects.toThrow("the model broke");
    expect(heard).toEqual([STALL]);
  });

  it("leaves its source when it is left", async () => {
    const { more, reading, isLeft } = scene();
    more[0]!.resolve("leave");
    await reading;
    expect(isLeft()).toBe(true);
  });
});
