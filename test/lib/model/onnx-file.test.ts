import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, equals } from "@bufbuild/protobuf";
import { GraphProtoSchema, ModelProtoSchema } from "onnx-buf";
import { InferenceSession } from "onnxruntime-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOnnx, writeOnnx } from "../../../lib/model/onnx-file.ts";
import { convModel, lstmModel, matMulModel } from "./quantized-graphs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "onnx-file-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("ONNX file", () => {
  it.each([
    ["matmul", matMulModel([0.02], [128])],
    ["conv", convModel()],
    ["lstm", lstmModel()],
    ["no weights", { ...matMulModel([1], [1]), graph: { ...matMulModel([1], [1]).graph!, initializer: [] } }],
    ["nothing", create(ModelProtoSchema)],
  ])("comes back as it was written: %s", async (name, model) => {
    const path = join(folder, `${name}.onnx`);
    const bytes = await writeOnnx(path, model);
    expect((await stat(path)).size).toBe(bytes);
    const read = await readOnnx(path);
    const expected = create(ModelProtoSchema, { ...model, graph: model.graph ?? create(GraphProtoSchema) });
    expect(equals(ModelProtoSchema, read, expected)).toBe(true);
    if (read.graph!.node.length === 0) return;
    read.graph!.node.pop();
    expect(equals(ModelProtoSchema, read, expected)).toBe(false); // the comparison looks inside
  });

  it("is read by ONNX Runtime", async () => {
    const path = join(folder, "runs.onnx");
    await writeOnnx(path, convModel());
    expect((await InferenceSession.create(path)).inputNames).toEqual(["x"]);
  });

  it("fails rather than write over another", async () => {
    const path = join(folder, "taken.onnx");
    await writeOnnx(path, convModel());
    await expect(writeOnnx(path, convModel())).rejects.toMatchObject({ code: "EEXIST" });
  });
});
