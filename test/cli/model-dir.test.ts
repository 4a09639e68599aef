import { expect, it } from "vitest";
import { describeProgress } from "../../cli/model-dir.ts";

const model = { file: "model.onnx", receivedBytes: 46e6, totalBytes: 92e6 };

it.each([
  [{ phase: "download", ...model }, "Downloading model.onnx [##########----------]  50 %  46 of 92 MB"],
  [{ phase: "verify", ...model, totalBytes: 0 }, "Verifying model.onnx  46 MB"],
  [{ phase: "prepare", ...model }, "Preparing the model (once) ..."],
  [{ phase: "wait", ...model }, "Waiting for another process that fetches the model ..."],
] as const)("tells what happens to the model: %j", (progress, text) => {
  expect(describeProgress(progress)).toBe(text);
});
