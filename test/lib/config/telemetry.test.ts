import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../../", import.meta.url);

describe("ONNX Runtime's telemetry", () => {
  // A worker thread of the process loads the library, which asks the system, not Node, for the variable.
  it("is off in the process itself, and in what its threads and children see", () => {
    const script = `
      import { execFileSync } from "node:child_process";
      import { Worker } from "node:worker_threads";
      import { disableTelemetry } from ${JSON.stringify(new URL("lib/config/telemetry.ts", ROOT).href)};
      disableTelemetry();
      const inThread = 'require("node:worker_threads").parentPort.postMessage(process.env.ORT_DISABLE_TELEMETRY)';
      new Worker(inThread, { eval: true, execArgv: [] }).on("message", (seen) => {
        const inChild = 'process.stdout.write(process.env.ORT_DISABLE_TELEMETRY)';
        console.log(seen + execFileSync(process.execPath, ["-e", inChild]));
      });`;
    const { ORT_DISABLE_TELEMETRY: _, ...env } = process.env;
    const seen = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env });
    expect(seen.toString().trim()).toBe("11");
  });

  it.each([
    ["bin/launch.mjs", 'ORT_DISABLE_TELEMETRY: "1"'],
    ["container/tts/Dockerfile", "ORT_DISABLE_TELEMETRY=1"],
    ["container/tts/main.ts", "\ndisableTelemetry();\n"],
    ["cli/run.ts", "  disableTelemetry();\n"],
  ])("is switched off by %s, through which every process starts", (path, words) => {
    expect(readFileSync(new URL(path, ROOT), "utf8")).toContain(words);
  });
});
