import { create, toBinary } from "@bufbuild/protobuf";
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
  TensorProto_DataType as Type,
  ValueInfoProtoSchema,
} from "onnx-buf";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { splitGraph } from "../../../lib/model/graph-split.ts";
import { modelOf, node, tensor } from "./quantized-graphs.ts";

const integer = (name: string, i: number): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(i) });
const ints = (name: string, ...values: number[]): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INTS, ints: values.map(BigInt) });
const stride2 = { attribute: [ints("strides", 2)] };

/**
 * Kokoro's skeleton, with names of no meaning: tokens a, style b, speed c. Each token lasts a frame; the "voice" is the
 * pitch sampled 300 times, to which the mean of the features, pitch and energy is added.
 */
function skeleton(): { nodes: NodeProto[]; model: () => ModelProto } {
  const nodes = [
    node("Cast", ["a"], ["t1"], { attribute: [integer("to", Type.FLOAT)] }), // [1, n]
    node("Slice", ["b", "zero", "half", "one"], ["t2"]), // the decoder's half of the style
    node("ReduceMean", ["b"], ["t3"], { attribute: [ints("axes", 1)] }), // the encoder reads all of it
    node("Div", ["t1", "c"], ["t4"]),
    node("Round", ["t4"], ["t5"]),
    node("Clip", ["t5", "atLeast"], ["t6"]), // durations
    node("Add", ["t1", "t3"], ["t7"]),
    node("Unsqueeze", ["t7", "one"], ["t8"]), // features [1, 1, n]
    node("Concat", ["t1", "t7"], ["t9"], { attribute: [integer("axis", 1)] }), // pitch [1, 2n]
    node("Mul", ["t9", "t9"], ["t10"]), // energy
    node("Unsqueeze", ["t9", "one"], ["t11"]),
    node("Unsqueeze", ["t10", "one"], ["t12"]),
    node("Resize", ["t11", "", "scales"], ["t13"]),
    node("Conv", ["t11", "w"], ["t14"], stride2),
    node("Conv", ["t12", "w"], ["t15"], stride2),
    node("Concat", ["t8", "t14", "t15"], ["t16"], { attribute: [integer("axis", 1)] }),
    node("ReduceMean", ["t16"], ["t17"]),
    node("ReduceMean", ["t2"], ["t18"]),
    node("Add", ["t13", "t17"], ["t19"]),
    node("Mul", ["t19", "t18"], ["y"]),
  ];
  const model = () => {
    const made = modelOf(
      nodes,
      [
        tensor("zero", [1], BigInt64Array.of(0n)),
        tensor("one", [1], BigInt64Array.of(1n)),
        tensor("half", [1], BigInt64Array.of(128n)),
        tensor("atLeast", [], Float32Array.of(1)),
        tensor("scales", [3], Float32Array.of(1, 1, 300)),
        tensor("w", [1, 1, 2], Float32Array.of(0.5, 0.25)),
      ],
      { name: "a", shape: [1, 4] },
      { name: "y", shape: [1, 1, 2400] },
    );
    const named = (name: string, elemType: Type, shape: number[]) => {
      const dim = shape.map((length) => ({ value: { case: "dimValue" as const, value: BigInt(length) } }));
      return create(ValueInfoProtoSchema, {
        name,
        type: { value: { case: "tensorType", value: { elemType, shape: { dim } } } },
      });
    };
    made.graph!.input = [
      named("a", Type.INT64, [1, 4]),
      named("b", Type.FLOAT, [1, 256]),
      named("c", Type.FLOAT, [1]),
    ];
    return made;
  };
  return { nodes, model };
}

const TOKENS = new Tensor("int64", BigInt64Array.of(0n, 7n, 9n, 0n), [1, 4]);
const STYLE = new Tensor(
  "float32",
  Float32Array.from({ length: 256 }, (_, index) => Math.sin(index)),
  [1, 256],
);
const SPEED = new Tensor("float32", Float32Array.of(2), [1]);

async function load(model: ModelProto): Promise<InferenceSession> {
  return await InferenceSession.create(toBinary(ModelProtoSchema, model), { logSeverityLevel: 3 });
}

describe("splitGraph", () => {
  it("finds the two parts by how the network is built, and they speak as the whole", async () => {
    const whole = await (await load(skeleton().model())).run({ a: TOKENS, b: STYLE, c: SPEED });
    const parts = splitGraph(skeleton().model())!;
    const encoder = await load(parts.encoder);
    const decoder = await load(parts.decoder);
    expect([...encoder.outputNames].sort()).toEqual(["durations", "energy", "features", "pitch", "timbre"]);
    expect([...decoder.inputNames].sort()).toEqual(["energy", "features", "pitch", "timbre"]);

    const { durations, ...encoding } = await encoder.run({ tokens: TOKENS, style: STYLE, speed: SPEED });
    expect([...(durations!.data as Float32Array)]).toEqual([1, 4, 4, 1]); // 3.5 and 4.5 to even
    expect(encoding.timbre!.dims).toEqual([1, 128]);
    const { waveform } = await decoder.run(encoding);
    expect(waveform!.data).toEqual(whole.y!.data);
  });

  it.each([
    ["the excitation is sampled otherwise", "Resize", 300],
    ["nothing is rounded", "Round", 0],
    ["nothing is joined", "Concat", 0],
  ])("gives nothing where %s", (_name, opType, scale) => {
    const { nodes, model } = skeleton();
    if (scale > 0) {
      const made = model();
      made.graph!.initializer = made.graph!.initializer.map((one) =>
        one.name === "scales" ? tensor("scales", [3], Float32Array.of(1, 1, 256)) : one,
      );
      expect(splitGraph(made)).toBeUndefined();
      return;
    }
    for (const one of nodes) if (one.opType === opType) one.opType = "Identity";
    expect(splitGraph(model())).toBeUndefined();
  });

  it("gives nothing where the decoder reads the style in two ways", () => {
    const { nodes, model } = skeleton();
    nodes.splice(-1, 1, node("Add", ["t19", "t18"], ["t20"]), node("Sub", ["t20", "t21"], ["y"]));
    nodes.splice(2, 0, node("ReduceMax", ["b"], ["t21"]));
    expect(splitGraph(model())).toBeUndefined();
  });

  it("gives nothing where the decoder reads the tokens past the cut", () => {
    const { nodes, model } = skeleton();
    nodes.splice(-1, 1, node("Add", ["t19", "t18"], ["t20"]), node("Sub", ["t20", "t3"], ["y"]));
    expect(splitGraph(model())).toBeUndefined();
  });

  it("gives nothing for a graph of another kind", () => {
    const other = modelOf(
      [node("Relu", ["x"], ["y"])],
      [],
      { name: "x", shape: [1] },
      { name: "y", shape: [1] },
    );
    expect(splitGraph(other)).toBeUndefined();
  });
});
