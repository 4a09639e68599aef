/** Real engines that end: replaced when one dies, never cut off inside ONNX Runtime, which would end the process. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkerPool } from "../../lib/kokoro/worker-pool.ts";
import { WorkerSynthesizer } from "../../lib/kokoro/worker-synthesizer.ts";
import { listen } from "./listening.ts";
import { MODEL_DIR } from "./model-under-test.ts";

const ENTRY = new URL("../../lib/kokoro/synthesis-worker.ts", import.meta.url);
const LONG =
  "The quick brown fox jumps over the lazy dog, near the bank of the river, and then it runs home.";

describe.skipIf(!MODEL_DIR)("a worker that dies", () => {
  let pool: WorkerPool;
  let synthesizer: WorkerSynthesizer;
  beforeAll(async () => {
    pool = await WorkerPool.start(ENTRY, { modelDir: MODEL_DIR!, threads: 2 }, 1);
    synthesizer = new WorkerSynthesizer(pool);
  });
  afterAll(() => synthesizer.close());

  it("is replaced, and its successor speaks what was asked meanwhile", async () => {
    await pool.workers[0]!.terminate();
    expect((await listen(synthesizer, "Hello.")).seconds).toBeGreaterThan(0.4);
  });

  it("is let finish its piece when the engine is closed, while its caller is told at once", async () => {
    const settled = Promise.allSettled([listen(synthesizer, LONG)]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const closing = synthesizer.close();
    expect((await settled)[0]).toMatchObject({ status: "rejected", reason: { code: "SYNTHESIS_FAILED" } });
    expect(pool.workers).toHaveLength(1);
    await closing;
    expect(pool.workers).toEqual([]);
  });
});
