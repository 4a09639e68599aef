import { describe, expect, it } from "vitest";
import type { DeployProgress } from "../../../lib/deploy/progress.ts";
import { Steps } from "../../../lib/deploy/steps.ts";
import { SpeechError } from "../../../lib/errors.ts";

function watched(signal = new AbortController().signal) {
  const seen: DeployProgress[] = [];
  let nowMs = 0;
  const steps = new Steps(
    (progress) => seen.push(progress),
    signal,
    () => nowMs,
  );
  const takes =
    <T>(ms: number, value: T) =>
    async () => {
      nowMs += ms;
      return value;
    };
  return { steps, seen, takes };
}

describe("Steps", () => {
  it("tells each step's beginning and end, and how long it took", async () => {
    const { steps, seen, takes } = watched();
    await steps.run("one", takes(1_240, { state: "done" as const }));
    const value = await steps.produce(
      "two",
      takes(0, { state: "skipped" as const, detail: "no changes", value: 7 }),
    );
    expect(value).toBe(7);
    expect(steps.reports).toEqual([
      { step: "one", state: "done", seconds: 1.2 },
      { step: "two", state: "skipped", seconds: 0, detail: "no changes" },
    ]);
    expect(seen.map((progress) => progress.kind === "step" && `${progress.step} ${progress.state}`)).toEqual([
      "one started",
      "one done",
      "two started",
      "two skipped",
    ]);
  });

  it("fails with the step's own error, which then holds all steps up to there", async () => {
    const { steps, takes } = watched();
    await steps.run("one", takes(0, { state: "done" as const }));
    const failing = steps.run("two", async () => {
      throw new SpeechError("DEPLOYMENT_FAILED", "no capacity", { details: { resource: "Endpoint" } });
    });
    await expect(failing).rejects.toMatchObject({
      code: "DEPLOYMENT_FAILED",
      message: "no capacity",
      details: {
        resource: "Endpoint",
        step: "two",
        steps: [{ step: "one" }, { step: "two", state: "failed" }],
      },
    });
  });

  it("fails in AWS's words for an error of AWS's, and in fixed words for a fault of ours", async () => {
    const { steps } = watched();
    const service = Object.assign(new Error("Rate\n exceeded."), {
      name: "ThrottlingException",
      $metadata: {},
    });
    await expect(
      steps.run("image", async () => {
        throw service;
      }),
    ).rejects.toThrow("the step image failed: ThrottlingException: Rate exceeded");
    await expect(
      steps.run("image", async () => {
        throw new TypeError("/home/me is undefined");
      }),
    ).rejects.toThrow("the step image failed unexpectedly");
  });

  it("passes an interruption through and begins nothing after it", async () => {
    const interruption = new AbortController();
    const { steps } = watched(interruption.signal);
    interruption.abort(new DOMException("interrupted", "AbortError"));
    await expect(steps.run("one", async () => ({ state: "done" }))).rejects.toThrow("interrupted");
    expect(steps.reports).toEqual([]);
  });
});
