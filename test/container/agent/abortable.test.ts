import { describe, expect, it } from "vitest";
import { untilAborted } from "../../../container/agent/abortable.ts";
import { collect } from "./turn-over-fakes.ts";

const never = new Promise<never>(() => {});

describe("untilAborted", () => {
  it("gives every value and lets the source end", async () => {
    const values = await collect(
      untilAborted(
        (async function* () {
          yield 1;
          yield 2;
        })(),
        new AbortController().signal,
      ),
    );
    expect(values).toEqual([1, 2]);
  });

  it("leaves a source that hangs, with the signal's reason", async () => {
    const leave = new AbortController();
    const values = untilAborted(
      (async function* () {
        yield 1;
        await never;
      })(),
      leave.signal,
    );
    await values.next();
    const next = values.next();
    leave.abort(new Error("left"));
    await expect(next).rejects.toThrow("left");
  });

  it("does not begin when it is too late", async () => {
    let began = false;
    const values = untilAborted(
      (async function* () {
        began = true;
        yield 1;
      })(),
      AbortSignal.abort(new Error("late")),
    );
    await expect(values.next()).rejects.toThrow("late");
    expect(began).toBe(false);
  });

  it("closes the source when its reader leaves, and passes on its failure", async () => {
    let closed = false;
    const source = async function* () {
      try {
        yield 1;
        throw new Error("broken");
      } finally {
        closed = true;
      }
    };
    for await (const _ of untilAborted(source(), new AbortController().signal)) break;
    expect(closed).toBe(true);
    await expect(collect(untilAborted(source(), new AbortController().signal))).rejects.toThrow("broken");
  });
});
