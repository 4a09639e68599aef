import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Admission } from "../../../container/tts/admission.ts";

const NEVER = new AbortController().signal;

/** Lets every promise that can settle do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("entering", () => {
  test("is refused beyond the turns and the places to wait, and possible again when somebody left", () => {
    const admission = new Admission(2, 1);
    const tickets = [admission.enter(), admission.enter(), admission.enter()];
    expect(() => admission.enter()).toThrow(
      expect.objectContaining({ code: "QUEUE_SATURATED", retryable: true, httpStatus: 503 }),
    );
    tickets[0]!.leave();
    tickets[0]!.leave(); // twice is once
    expect(admission.inside).toBe(2);
    admission.enter();
    expect(() => admission.enter()).toThrow();
  });
});

describe("turns", () => {
  test("are as many at once as there are workers, and pass on when one ends", async () => {
    const ticket = new Admission(2, 9).enter();
    const order: number[] = [];
    const take = async (n: number) => {
      const end = await ticket.turn(0, NEVER);
      order.push(n);
      return end;
    };
    const turns = [take(1), take(2), take(3), take(4)];
    await settled();
    expect(order).toEqual([1, 2]);
    const end = await turns[0]!;
    end();
    end(); // twice is once
    await settled();
    expect(order).toEqual([1, 2, 3]);
  });

  test("go to the earliest deadline, and to who came first among equals", async () => {
    const admission = new Admission(1, 9);
    const ticket = admission.enter();
    let end = await ticket.turn(0, NEVER);
    const order: string[] = [];
    const wait = (name: string, deadlineMs: number) => {
      void ticket.turn(deadlineMs, NEVER).then((ended) => {
        order.push(name);
        end = ended;
      });
    };
    wait("late", 50);
    wait("early", 10);
    wait("later", 90);
    wait("early too", 10);
    for (let i = 0; i < 4; i++) {
      end();
      await settled();
    }
    expect(order).toEqual(["early", "early too", "late", "later"]);
  });

  test("pass straight to the next in line: no newcomer slips in between", async () => {
    const ticket = new Admission(1, 9).enter();
    const end = await ticket.turn(0, NEVER);
    const order: string[] = [];
    const waiting = ticket.turn(5, NEVER).then(() => order.push("waiting"));
    end();
    void ticket.turn(0, NEVER).then(() => order.push("newcomer"));
    await waiting;
    await settled();
    expect(order).toEqual(["waiting"]);
  });

  test("are not waited for by who gave up, before or while waiting", async () => {
    const ticket = new Admission(1, 9).enter();
    const reason = new Error("gone");
    await expect(ticket.turn(0, AbortSignal.abort(reason))).rejects.toBe(reason);
    const end = await ticket.turn(0, NEVER);
    const leaver = new AbortController();
    const given = ticket.turn(0, leaver.signal);
    const next = ticket.turn(1, NEVER);
    leaver.abort(reason);
    await expect(given).rejects.toBe(reason);
    end();
    await next;
  });

  test("are never lost nor doubled, whatever comes, leaves and gives up", async () => {
    const step = fc.record({
      kind: fc.constantFrom("take", "end", "abort"),
      pick: fc.nat(1_000),
      deadlineMs: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (turns, steps) => {
          const ticket = new Admission(turns, 9).enter();
          const held: (() => void)[] = [];
          const waiting = new Set<AbortController>();
          for (const { kind, pick, deadlineMs } of steps) {
            if (kind === "take") {
              const controller = new AbortController();
              waiting.add(controller);
              ticket.turn(deadlineMs, controller.signal).then(
                (end) => {
                  waiting.delete(controller);
                  held.push(end);
                },
                () => waiting.delete(controller),
              );
            } else if (kind === "end" && held.length > 0) held.splice(pick % held.length, 1)[0]!();
            else if (kind === "abort" && waiting.size > 0) [...waiting][pick % waiting.size]!.abort();
            await settled();
            expect(held.length).toBeLessThanOrEqual(turns);
            // Nobody waits while a turn is free.
            if (waiting.size > 0) expect(held.length).toBe(turns);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
