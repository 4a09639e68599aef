import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkerPool } from "../../../lib/kokoro/worker-pool.ts";
import { defaultWorkerPlan, WorkerSynthesizer } from "../../../lib/kokoro/worker-synthesizer.ts";

const ENTRY = new URL("../../fixtures/kokoro/scripted-worker.ts", import.meta.url);
const NEVER = new AbortController().signal;
const request = (text: string, voice = "af_heart") => ({ text, voice, speed: 1 });

let synthesizer: WorkerSynthesizer;
beforeAll(async () => {
  synthesizer = new WorkerSynthesizer(await WorkerPool.start(ENTRY, { modelDir: "any", threads: 1 }, 1));
});
afterAll(() => synthesizer.close());

async function collect(text: string, onSegment: (index: number) => void = () => {}): Promise<number[]> {
  const samples: number[] = [];
  for await (const segment of synthesizer.synthesize(request(text), NEVER)) {
    onSegment(samples.length);
    samples.push(...segment.samples);
  }
  return samples;
}

describe("worker synthesizer", () => {
  it("gives the pieces of a text in order, and none for a text that says nothing", async () => {
    const samples = await collect("pieces:4");
    expect(samples).toHaveLength(4);
    expect(samples).toEqual([...samples].sort((a, b) => a - b));
    expect(await collect("pieces:0")).toEqual([]);
  });

  it("lets a short text in between the pieces of a long one", async () => {
    const order: string[] = [];
    await Promise.all([
      collect("pieces:6 wait:20", (index) => order.push(`long ${index}`)),
      collect("pieces:1", () => order.push("short")),
    ]);
    expect(order.indexOf("short")).toBeLessThanOrEqual(1);
    expect(order).toHaveLength(7);
  });

  it("computes nothing ahead of its reader", async () => {
    const before = (await collect("pieces:1"))[0]!;
    const segments = synthesizer.synthesize(request("pieces:5"), NEVER);
    await segments.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [counter] = await collect("pieces:1"); // the first piece, and this one
    expect(counter! - before).toBe(2);
    await segments.return();
  });

  it("stops at the next piece when its signal aborts, with the signal's reason", async () => {
    const caller = new AbortController();
    const heard: number[] = [];
    const call = (async () => {
      for await (const segment of synthesizer.synthesize(request("pieces:50"), caller.signal)) {
        heard.push(segment.samples[0]!);
        if (heard.length === 2) caller.abort(new Error("hung up"));
      }
    })();
    await expect(call).rejects.toThrow("hung up");
    expect(heard).toHaveLength(2);
  });

  it("lets others speak when the reader leaves the loop", async () => {
    for await (const _ of synthesizer.synthesize(request("pieces:3"), NEVER)) break;
    expect(await collect("pieces:1")).toHaveLength(1);
  });

  it("fails for an unknown voice before anything runs", async () => {
    const call = synthesizer.synthesize(request("pieces:1", "nobody"), NEVER).next();
    await expect(call).rejects.toMatchObject({ code: "UNKNOWN_VOICE" });
    expect(() => synthesizer.checkVoice("nobody")).toThrow(
      expect.objectContaining({ code: "UNKNOWN_VOICE" }),
    );
    expect(() => synthesizer.checkVoice("jf_alpha")).not.toThrow();
  });

  it("fails the call whose worker died, not the next", async () => {
    await expect(collect("crash")).rejects.toMatchObject({ code: "SYNTHESIS_FAILED" });
    expect(await collect("pieces:2")).toHaveLength(2);
  });
});

describe("defaultWorkerPlan", () => {
  it.each([
    [1, { workers: 1, threadsPerWorker: 1 }],
    [2, { workers: 1, threadsPerWorker: 2 }],
    [4, { workers: 1, threadsPerWorker: 4 }],
    [8, { workers: 2, threadsPerWorker: 4 }],
    [12, { workers: 3, threadsPerWorker: 4 }],
  ])("for %i cores", (cores, plan) => expect(defaultWorkerPlan(cores)).toEqual(plan));
});
