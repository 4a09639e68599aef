import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { WorkerTask } from "../../../lib/kokoro/worker-messages.ts";
import { WorkerPool } from "../../../lib/kokoro/worker-pool.ts";

const ENTRY = new URL("../../fixtures/kokoro/scripted-worker.ts", import.meta.url);
const NEVER = new AbortController().signal;
const begin = (text: string): WorkerTask => ({
  kind: "begin",
  text,
  voice: "af_heart",
  speed: 1,
  windows: true,
  aheadMs: 0,
});

const pools: WorkerPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
async function start(workers: number, modelDir = "any"): Promise<WorkerPool> {
  const pool = await WorkerPool.start(ENTRY, { modelDir, threads: 1 }, workers);
  pools.push(pool);
  return pool;
}

describe("worker pool", () => {
  it("serves in the order of asking, one task a worker", async () => {
    const pool = await start(1);
    const order: number[] = [];
    await Promise.all(
      [30, 0, 10].map((waitMs, index) =>
        pool.run(begin(`wait:${waitMs}`), NEVER).then(() => order.push(index)),
      ),
    );
    expect(order).toEqual([0, 1, 2]);
  });

  it("serves beginnings before what only goes on", async () => {
    const pool = await start(1);
    const later: WorkerTask = {
      ...{ voice: "af_heart", speed: 1, windows: true, aheadMs: 0 },
      ...{ kind: "continue", rest: { sentence: undefined, pieces: [[0]] } },
    };
    const order: string[] = [];
    const run = (task: WorkerTask, name: string) => pool.run(task, NEVER).then(() => order.push(name));
    await Promise.all([
      run(begin("wait:30"), "running"),
      run(later, "later 1"),
      run(later, "later 2"),
      run(begin("pieces:1"), "first 1"),
      run(begin("pieces:1"), "first 2"),
    ]);
    expect(order).toEqual(["running", "first 1", "first 2", "later 1", "later 2"]);
  });

  it("uses every worker", async () => {
    const pool = await start(2);
    const order: string[] = [];
    await Promise.all([
      pool.run(begin("wait:300"), NEVER).then(() => order.push("slow")),
      pool.run(begin("wait:0"), NEVER).then(() => order.push("quick")),
    ]);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("takes an aborted task out of the queue and never runs it", async () => {
    const pool = await start(1);
    const caller = new AbortController();
    const first = pool.run(begin("wait:50"), NEVER);
    const second = pool.run(begin("pieces:1"), caller.signal);
    caller.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    await first;
    // Third task of the caller, second of the worker.
    expect((await pool.run(begin("pieces:1"), NEVER)).samples).toEqual(Float32Array.of(2));
  });

  it("frees the caller of a running task at once, and the worker when it is done", async () => {
    const pool = await start(1);
    const caller = new AbortController();
    const running = pool.run(begin("wait:50"), caller.signal);
    caller.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
    await expect(pool.run(begin("pieces:1"), NEVER)).resolves.toMatchObject({ inferenceMs: 1 });
    await expect(pool.run(begin(""), AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  it("passes on what the worker refused, with its details", async () => {
    const pool = await start(1);
    await expect(pool.run(begin("refuse"), NEVER)).rejects.toMatchObject({
      code: "LANGUAGE_NOT_SUPPORTED",
      details: { voice: "x" },
    });
    await expect(pool.run(begin("pieces:1"), NEVER)).resolves.toBeDefined();
  });

  it.each(["crash", "throw"])(
    "fails only the task that a worker died of (%s), and replaces the worker",
    async (how) => {
      const pool = await start(1);
      const [dead, waiting] = await Promise.allSettled([
        pool.run(begin(how), NEVER),
        pool.run(begin("pieces:1"), NEVER),
      ]);
      expect(dead).toMatchObject({
        status: "rejected",
        reason: { code: "SYNTHESIS_FAILED", retryable: true },
      });
      expect(String((dead as PromiseRejectedResult).reason.message)).not.toContain("secret");
      expect(waiting).toMatchObject({ status: "fulfilled", value: { samples: Float32Array.of(1) } });
      expect(pool.workers).toHaveLength(1);
    },
  );

  it("fails to start with the reason of the first worker that could not", async () => {
    await expect(start(2, "cannot-start")).rejects.toMatchObject({
      code: "WEIGHTS_UNAVAILABLE",
      message: "gone",
    });
  });

  it("gives up after some attempts when no worker can be started any more, and fails who waits", async () => {
    const folder = await mkdtemp(join(tmpdir(), "worker-pool-"));
    const pool = await start(1, join(folder, "once"));
    const settled = Promise.allSettled([pool.run(begin("crash"), NEVER), pool.run(begin("pieces:1"), NEVER)]);
    expect((await settled).map((result) => result.status)).toEqual(["rejected", "rejected"]);
    await expect(pool.run(begin("pieces:1"), NEVER)).rejects.toMatchObject({
      code: "SYNTHESIS_FAILED",
      message: expect.stringContaining("restart"),
    });
    await rm(folder, { recursive: true });
  });

  it("fails running and waiting tasks when it is closed, and every later one", async () => {
    const pool = await start(1);
    const calls = [pool.run(begin("wait:100"), NEVER), pool.run(begin("pieces:1"), NEVER)];
    const settled = Promise.allSettled(calls);
    const closing = pool.close();
    expect(pool.workers).toHaveLength(1); // still computing: it may not be cut off
    for (const result of await settled) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "SYNTHESIS_FAILED" } });
    }
    await expect(pool.run(begin("pieces:1"), NEVER)).rejects.toMatchObject({ code: "SYNTHESIS_FAILED" });
    await closing;
    expect(pool.workers).toEqual([]);
    await pool.close(); // a second time does nothing
  });
});
