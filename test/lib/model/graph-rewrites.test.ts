import { create, toBinary } from "@bufbuild/protobuf";
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
} from "onnx-buf";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { applyVerified } from "../../../lib/model/graph-making.ts";
import {
  convolutionsAsTwoDimensional,
  GRAPH_REWRITES,
  squaresAsProducts,
} from "../../../lib/model/graph-rewrites.ts";
import { snrDb, withFixedNoise } from "../../../lib/model/graph-verification.ts";
import { fuseInstanceNormalization } from "../../../lib/model/instance-normalization.ts";
import { modelOf, node, tensor } from "./quantized-graphs.ts";

const SHAPE = [1, 3, 16];
const X = Float32Array.from({ length: 48 }, (_, index) => Math.sin(index * 1.7) + index / 30);

async function run(model: ModelProto): Promise<Float32Array> {
  const session = await InferenceSession.create(toBinary(ModelProtoSchema, model), { logSeverityLevel: 3 });
  const { y } = await session.run({ x: new Tensor("float32", X, SHAPE) });
  return y!.data as Float32Array;
}
const operators = (model: ModelProto) => model.graph!.node.map((one) => one.opType!);
const ints = (name: string, values: number[]): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INTS, ints: values.map(BigInt) });
const integer = (name: string, i: number): AttributeProto =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(i) });
const floats = (name: string, shape: number[], step: number) =>
  tensor(
    name,
    shape,
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, index) => Math.cos(index * step)),
  );
const io = [
  { name: "x", shape: SHAPE },
  { name: "y", shape: SHAPE },
] as const;

const CONSTANTS = [
  tensor("two", [], Float32Array.of(2)),
  tensor("eps", [], Float32Array.of(1e-5)),
  floats("scale", [1, 3, 1], 1),
  floats("shift", [1, 3, 1], 2),
];

/** As exporters write it; the square is a product or a power. */
function normalization(square: NodeProto, axis = 2): ModelProto {
  return modelOf(
    [
      node("ReduceMean", ["x"], ["mean"], { attribute: [ints("axes", [axis])] }),
      node("Sub", ["x", "mean"], ["centred"]),
      square,
      node("ReduceMean", ["square"], ["variance"], { attribute: [ints("axes", [axis])] }),
      node("Add", ["variance", "eps"], ["safe"]),
      node("Sqrt", ["safe"], ["deviation"]),
      node("Div", ["centred", "deviation"], ["quotient"]),
      node("Mul", ["scale", "quotient"], ["scaled"]),
      node("Add", ["scaled", "shift"], ["y"]),
    ],
    CONSTANTS,
    ...io,
  );
}
const PRODUCT = node("Mul", ["centred", "centred"], ["square"]);

function convolution(
  opType: "Conv" | "ConvTranspose",
  weight: number[],
  attribute: AttributeProto[],
): ModelProto {
  return modelOf(
    [node(opType, ["x", "w", "b"], ["y"], { attribute })],
    [floats("w", weight, 3), floats("b", [opType === "Conv" ? weight[0]! : weight[1]!], 5)],
    { name: "x", shape: SHAPE },
    { name: "y", shape: [1, 4, opType === "Conv" ? 7 : 32] },
  );
}

async function expectSame(before: ModelProto, after: ModelProto): Promise<void> {
  expect(snrDb(await run(before), await run(after))).toBeGreaterThan(100);
}

describe("rewrites", () => {
  it.each([
    ["a product", PRODUCT],
    ["a power", node("Pow", ["centred", "two"], ["square"])],
  ])("make one operator of instance normalization whose square is %s", async (_name, square) => {
    const [before, after] = [normalization(square), fuseInstanceNormalization(normalization(square))];
    expect(operators(after)).toEqual(["Reshape", "Reshape", "InstanceNormalization"]);
    await expectSame(before, after);
  });

  it("leave a normalization over another axis alone", () => {
    const model = normalization(PRODUCT, 1);
    expect(fuseInstanceNormalization(model)).toBe(model);
  });

  it("leave a normalization alone whose quotient is read otherwise too", () => {
    const model = normalization(PRODUCT);
    model.graph!.node.push(node("Relu", ["quotient"], ["other"]));
    expect(fuseInstanceNormalization(model)).toBe(model);
  });

  it("make products of squares, not of cubes", async () => {
    const power = (exponent: number) =>
      modelOf([node("Pow", ["x", "e"], ["y"])], [tensor("e", [], Float32Array.of(exponent))], ...io);
    expect(operators(squaresAsProducts(power(2)))).toEqual(["Mul"]);
    expect(operators(squaresAsProducts(power(3)))).toEqual(["Pow"]);
    await expectSame(power(2), squaresAsProducts(power(2)));
  });

  it.each<["Conv" | "ConvTranspose", number[], AttributeProto[]]>([
    [
      "Conv",
      [4, 3, 3],
      [
        ints("kernel_shape", [3]),
        ints("pads", [0, 2]),
        ints("strides", [2]),
        ints("dilations", [2]),
        integer("group", 1),
      ],
    ],
    [
      "ConvTranspose",
      [3, 4, 3],
      [ints("kernel_shape", [3]), ints("pads", [1, 1]), ints("strides", [2]), ints("output_padding", [1])],
    ],
  ])("make an image's %s of a sound's", async (opType, weight, attributes) => {
    const before = convolution(opType, weight, attributes);
    const after = convolutionsAsTwoDimensional(before);
    expect(operators(after)).toEqual(["Unsqueeze", opType, "Squeeze"]);
    expect(after.graph!.initializer.find((one) => one.name === "w.image")!.dims).toHaveLength(4);
    await expectSame(before, after);
  });

  it("work together, and leave the model they were given as it was", async () => {
    const before = normalization(node("Pow", ["centred", "two"], ["square"]));
    const operatorsBefore = operators(before);
    await expectSame(
      before,
      GRAPH_REWRITES.reduce((model, rewrite) => rewrite.apply(model), before),
    );
    expect(operators(before)).toEqual(operatorsBefore);
  });
});

describe("applyVerified", () => {
  const plain = normalization(node("Pow", ["centred", "two"], ["square"]));

  it("uses all when the sound stays the same, after one comparison", async () => {
    let comparisons = 0;
    const isAlike = async () => ++comparisons > 0;
    const { model, refused } = await applyVerified(plain, GRAPH_REWRITES, isAlike);
    expect(operators(model)).toContain("InstanceNormalization");
    expect({ refused, comparisons }).toEqual({ refused: [], comparisons: 1 });
  });

  it("refuses the one that changes the sound, by name, and keeps the others", async () => {
    const spoils = {
      name: "spoils",
      apply: (model: ModelProto) => convolutionsAsTwoDimensional(shifted(model)),
    };
    const isAlike = async (candidate: ModelProto) => snrDb(await run(plain), await run(candidate)) >= 60;
    const { model, refused } = await applyVerified(plain, [spoils, ...GRAPH_REWRITES], isAlike);
    expect(refused).toEqual([spoils]);
    expect(operators(model)).toContain("InstanceNormalization");
    await expectSame(plain, model);
  });
});

/** The same graph with another shift. */
function shifted(model: ModelProto): ModelProto {
  const graph = model.graph!;
  const initializer = graph.initializer.map((one) =>
    one.name === "shift" ? floats("shift", [1, 3, 1], 9) : one,
  );
  return { ...model, graph: { ...graph, initializer } };
}

describe("comparison of waveforms", () => {
  it("is infinite for equal ones, and never good for lengths that differ or what is no number", () => {
    expect(snrDb(X, X)).toBe(Number.POSITIVE_INFINITY);
    expect(snrDb(X, X.subarray(1))).toBe(Number.NEGATIVE_INFINITY);
    expect(
      snrDb(
        X,
        Float32Array.from(X, () => Number.NaN),
      ),
    ).toBe(Number.NEGATIVE_INFINITY);
    expect(
      snrDb(
        X,
        Float32Array.from(X, (value) => value * 1.001),
      ),
    ).toBeCloseTo(60, 1);
  });

  it("needs noise that is the same in each session", async () => {
    const noisy = modelOf(
      [node("RandomNormalLike", ["x"], ["noise"]), node("Add", ["x", "noise"], ["y"])],
      [],
      ...io,
    );
    const fixed = withFixedNoise(noisy);
    expect([...(await run(fixed))]).toEqual([...(await run(fixed))]);
    expect(snrDb(X, await run(fixed))).toBeLessThan(40);
  });
});
