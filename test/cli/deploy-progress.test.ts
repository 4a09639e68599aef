import { describe, expect, it } from "vitest";
import { DeployDisplay } from "../../cli/deploy-progress.ts";
import { Output } from "../../cli/output.ts";
import type { DeployProgress } from "../../lib/deploy/progress.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

const RESOURCE: DeployProgress = {
  kind: "resource",
  stack: "speech",
  resource: "Speech/Endpoint",
  resourceType: "AWS::SageMaker::Endpoint",
  status: "CREATE_IN_PROGRESS",
  completed: 7,
  total: 12,
};

function drawn({ isTTY = false, verbose = false } = {}) {
  let nowMs = 0;
  const stderr = new MemoryStream({ isTTY, columns: 120 });
  const clock = () => nowMs;
  const output = new Output({ stdout: new MemoryStream(), stderr, json: false, nowMs: clock });
  const display = new DeployDisplay(output, { nowMs: clock, verbose });
  return {
    display,
    later: (seconds: number) => {
      nowMs += seconds * 1_000;
      return display;
    },
    lines: () =>
      stderr.text
        .replaceAll("\r\u001b[K", "\n")
        .split("\n")
        .filter((line) => line !== ""),
  };
}

describe("a deployment's progress in a log", () => {
  it("is a line when a step begins and an aligned one when it ends", () => {
    const { display, later, lines } = drawn();
    display.observe({ kind: "step", step: "foundation", state: "started" });
    later(12).observe({ kind: "step", step: "foundation", state: "done" });
    display.observe({ kind: "step", step: "image", state: "started" });
    display.observe({ kind: "step", step: "image", state: "skipped", detail: "it is there" });
    expect(lines()).toEqual([
      "foundation ...",
      "foundation    done       12 s",
      "image ...",
      "image         skipped     0 s  it is there",
    ]);
  });

  it("is heard of every half minute, however much happens", () => {
    const { display, later, lines } = drawn();
    display.observe({ kind: "step", step: "endpoint", state: "started" });
    for (let second = 0; second < 100; second++) later(1).observe(RESOURCE);
    expect(lines().slice(1)).toEqual([
      "  endpoint  0:30  7/12 resources  Speech/Endpoint CREATE_IN_PROGRESS",
      "  endpoint  1:00  7/12 resources  Speech/Endpoint CREATE_IN_PROGRESS",
      "  endpoint  1:30  7/12 resources  Speech/Endpoint CREATE_IN_PROGRESS",
    ]);
  });

  it("shows a build's log when the build failed, or always with --verbose", () => {
    const quiet = drawn();
    const loud = drawn({ verbose: true });
    for (const { display } of [quiet, loud]) {
      display.observe({ kind: "step", step: "image", state: "started" });
      display.observe({ kind: "log", source: "build", line: "Step 1/9" });
    }
    expect(quiet.lines()).toEqual(["image ..."]);
    expect(loud.lines()).toEqual(["image ...", "  [build] Step 1/9"]);
    quiet.display.observe({ kind: "step", step: "image", state: "failed" });
    expect(quiet.lines().slice(1)).toEqual(["  [build] Step 1/9", "image         failed      0 s"]);
  });

  it("shows the last lines of a container that failed", () => {
    const { display, lines } = drawn();
    display.observe({ kind: "step", step: "endpoint", state: "started" });
    display.observe({ kind: "log", source: "container", line: "no model" });
    expect(lines()).toContain("  [container] no model");
  });
});

describe("a deployment's progress in a terminal", () => {
  it("is one line that moves, and stays as a line when a step has ended", () => {
    const { display, later, lines } = drawn({ isTTY: true });
    display.observe({ kind: "step", step: "endpoint", state: "started" });
    later(1).observe(RESOURCE);
    later(64).observe({ kind: "waiting", what: "endpoint x is Creating" });
    later(1).refresh();
    later(1).observe({ kind: "step", step: "endpoint", state: "done" });
    expect(lines()).toEqual([
      "endpoint  0:00",
      "endpoint  0:01  7/12 resources  Speech/Endpoint CREATE_IN_PROGRESS",
      "endpoint  1:05  7/12 resources  endpoint x is Creating",
      "endpoint  1:06  7/12 resources  endpoint x is Creating",
      "endpoint      done       67 s",
    ]);
  });

  it("shows how far a transfer is", () => {
    const { display, later, lines } = drawn({ isTTY: true });
    display.observe({ kind: "step", step: "model", state: "started" });
    later(1).observe({ kind: "transfer", what: "weights", doneBytes: 50e6, totalBytes: 100e6 });
    expect(lines().at(-1)).toContain("weights [##########----------]  50 %  50 of 100 MB");
  });
});
