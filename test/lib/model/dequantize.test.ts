import { clone, toBinary } from "@bufbuild/protobuf";
import { type ModelProto, ModelProtoSchema } from "onnx-buf";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { dequantize } from "../../../lib/model/dequantize.ts";
import { valuesOf } from "../../../lib/model/onnx-tensor.ts";
import { convModel, lstmModel, matMulModel, node } from "./quantized-graphs.ts";

/** Runs a graph in ONNX Runtime itself: the rewrite is right when both graphs compute the same. */
async function run(model: ModelProto, values: number[], shape: number[]): Promise<number[]> {
  const session = await InferenceSession.create(toBinary(ModelProtoSchema, model), { logSeverityLevel: 3 });
  const { y } = await session.run({ x: new Tensor("float32", Float32Array.from(values), shape) });
  return [...(y!.data as Float32Array)];
}
function operators(model: ModelProto): string[] {
  return model.graph!.node.map((one) => one.opType!);
}
function weight(model: ModelProto, name: string): number[] {
  return [...valuesOf(model.graph!.initializer.find((one) => one.name === name)!)];
}
function expectNear(actual: number[], expected: number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, index) => {
    expect(Math.abs(value - expected[index]!)).toBeLessThan(tolerance);
  });
}
const spread = (length: number) => Array.from({ length }, (_, index) => Math.sin(index * 1.7));

describe("dequantize", () => {
  it.each([
    ["one scale", [0.02], [128]],
    ["a scale for each column", [0.02, 0.001], [128, 3]],
  ])("makes a MatMul of MatMulInteger with %s", async (_name, scales, zeros) => {
    const model = matMulModel(scales, zeros);
    const before = await run(clone(ModelProtoSchema, model), spread(3), [1, 3]);
    expect(dequantize(model)).toEqual({ matMul: 1, conv: 0, lstm: 0 });
    expect(operators(model)).toEqual(["MatMul"]);
    expect(model.graph!.initializer.map((one) => one.name)).toEqual(["w_float"]);
    const [first] = weight(model, "w_float");
    expect(first).toBeCloseTo((0 - zeros[0]!) * scales[0]!, 6);
    expectNear(await run(model, spread(3), [1, 3]), before, 0.03);
  });

  it("makes a Conv of ConvInteger, with the bias that the graph quantized", async () => {
    const model = convModel();
    const before = await run(clone(ModelProtoSchema, model), spread(10), [1, 2, 5]);
    expect(dequantize(model)).toEqual({ matMul: 0, conv: 1, lstm: 0 });
    expect(operators(model)).toEqual(["Conv"]);
    expect(model.graph!.node[0]!.input).toEqual(["x", "w_float", "c.bias"]);
    expectNear(await run(model, spread(10), [1, 2, 5]), before, 0.05);
  });

  it("finds the bias by its length where its name does not tell", () => {
    const model = convModel();
    for (const one of model.graph!.node)
      one.input = one.input.map((name) => (name === "c.bias" ? "c7" : name));
    for (const one of model.graph!.initializer) if (one.name === "c.bias") one.name = "c7";
    dequantize(model);
    expect(model.graph!.node[0]!.input[2]).toBe("c7");
  });

  it("makes an LSTM of DynamicQuantizeLSTM, its gates turned to the standard's order", async () => {
    const model = lstmModel();
    const before = await run(clone(ModelProtoSchema, model), spread(12), [4, 1, 3]);
    expect(dequantize(model)).toEqual({ matMul: 0, conv: 0, lstm: 1 });
    expect(operators(model)).toEqual(["LSTM"]);
    expect(model.graph!.node[0]!.domain).toBe("");
    // W[0][input 0][gate 1] of the old is W[0][gate 1][input 0] of the new: (37 - 100) * 0.01.
    expect(weight(model, "W_float")[3]).toBeCloseTo(-0.63, 6);
    expectNear(await run(model, spread(12), [4, 1, 3]), before, 0.02);
  });

  it("leaves a float graph as it is", () => {
    const model = matMulModel([0.02], [128]);
    dequantize(model);
    const once = clone(ModelProtoSchema, model);
    expect(dequantize(model)).toEqual({ matMul: 0, conv: 0, lstm: 0 });
    expect(model).toEqual(once);
  });

  it("makes a weight that two nodes share once", () => {
    const model = matMulModel([0.02], [128]);
    const graph = model.graph!;
    const [, product, cast, , scaled] = graph.node;
    graph.node.push(
      node("MatMulInteger", product!.input, ["p2"]),
      { ...cast!, input: ["p2"], output: ["pf2"] },
      { ...scaled!, input: ["pf2", "s"], output: ["y2"] },
      node("Add", ["y", "y2"], ["z"]),
    );
    graph.output[0]!.name = "z";
    expect(dequantize(model).matMul).toBe(2);
    expect(graph.initializer.map((one) => one.name)).toEqual(["w_float"]);
  });

  it.each([
    ["no quantizer before it", (model: ModelProto) => model.graph!.node.shift()],
    ["its weight missing", (model: ModelProto) => model.graph!.initializer.shift()],
    ["its scale missing", (model: ModelProto) => model.graph!.initializer.pop()],
    [
      "a second reader of the integer product",
      (model: ModelProto) => model.graph!.node.push(node("Neg", ["p"], ["q"])),
    ],
    ["no multiplication after it", (model: ModelProto) => model.graph!.node.pop()],
  ])("fails for a node with %s, and names it", (_name, damage) => {
    const model = matMulModel([0.02], [128]);
    damage(model);
    expect(() => dequantize(model)).toThrow(
      expect.objectContaining({
        code: "WEIGHTS_UNAVAILABLE",
        message: expect.stringContaining("MatMulInteger:p"),
      }),
    );
  });

  it("fails when the bias could be one of two", () => {
    const model = convModel();
    const bias = model.graph!.initializer.find((one) => one.name === "c.bias")!;
    model.graph!.initializer.push({ ...bias, name: "d.bias" });
    model.graph!.node.splice(2, 0, node("Add", ["c.bias", "d.bias"], ["e"]));
    model.graph!.node[3]!.input[0] = "e";
    expect(() => dequantize(model)).toThrow(expect.objectContaining({ code: "WEIGHTS_UNAVAILABLE" }));
  });
});
