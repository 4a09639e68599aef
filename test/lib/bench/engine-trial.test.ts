import { expect, test } from "vitest";
import { runEngineTrial } from "../../../lib/bench/engine-trial.ts";

const texts = ["a", "b", "c"].map((text) => ({ text, phonemes: "", ids: [] }));

function speakers(heard: string[]) {
  return ["x", "y"].map((name) => ({
    name,
    pid: 0,
    speak: async ({ text }: { text: string }) => {
      heard.push(name + text);
      return { wholeMs: 1, firstMs: 1, samples: 1, phonemesMs: null };
    },
  }));
}

test("each speaks each text in each round, in an order that rotates, after one that is not counted", async () => {
  const heard: string[] = [];
  const progress: number[] = [];
  const measurements = await runEngineTrial({
    speakers: speakers(heard),
    texts,
    rounds: 2,
    signal: new AbortController().signal,
    onProgress: (done, total) => progress.push(done / total),
  });
  expect(heard).toEqual(["xb", "yb", ..."xa ya yb xb xc yc ya xa xb yb yc xc".split(" ")]);
  expect(measurements).toHaveLength(12);
  expect(progress.at(-1)).toBe(1);
});

test("fails with the signal's reason when it is cancelled", async () => {
  const options = { speakers: speakers([]), texts, rounds: 1, onProgress: () => {} };
  await expect(runEngineTrial({ ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: "AbortError",
  });
});
