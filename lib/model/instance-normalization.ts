/**
 * Finds instance normalization in the pieces that an exporter wrote it in, and puts ONNX's operator in their place.
 */
import type { ModelProto, NodeProto } from "onnx-buf";
import { GraphIndex } from "./graph-index.ts";
import { withNodes, withoutUnused } from "./graph-part.ts";
import { createFloatAttribute, createNode, integerOf, integersOf } from "./onnx-node.ts";
import { int64Tensor, isFloat, numbersOf, shapeOf, sizeOf, valuesOf } from "./onnx-tensor.ts";

/**
 * mean, subtract, square, mean, add epsilon, root, divide: seven passes over the tensor and five tensors of its size.
 * Where the quotient is then only scaled and shifted by channel ([1, C, 1]: adaptive instance normalization), those
 * two passes go in too.
 */
export function fuseInstanceNormalization(model: ModelProto): ModelProto {
  const index = new GraphIndex(model.graph!);
  const flat = "rewrite.flat_shape";
  const replaced = new Map<NodeProto, NodeProto[]>();
  for (const division of model.graph!.node) {
    const found = division.opType === "Div" ? normalizationOf(division, index) : undefined;
    if (found === undefined) continue;
    const affine = index
      .consumersOf(division.output[0]!)
      .map((product) => affineOf(product, division, index));
    if (affine.length === 0 || !affine.every((step) => step !== undefined)) continue;
    for (const { scale, shift, sum } of affine) {
      const [scaleName, shiftName] = [`${sum.output[0]}.scale`, `${sum.output[0]}.shift`];
      replaced.set(sum, [
        createNode("Reshape", `${scaleName}/flat`, [scale, flat], [scaleName]),
        createNode("Reshape", `${shiftName}/flat`, [shift, flat], [shiftName]),
        createNode("InstanceNormalization", sum.name, [found.x, scaleName, shiftName], sum.output, [
          createFloatAttribute("epsilon", found.epsilon),
        ]),
      ]);
    }
  }
  if (replaced.size === 0) return model;
  const rewritten = withNodes(model, (node) => replaced.get(node) ?? [node], [
    int64Tensor(flat, [1], BigInt64Array.of(-1n)),
  ]);
  return withoutUnused(rewritten);
}

interface Normalization {
  readonly x: string;
  readonly epsilon: number;
}

function normalizationOf(division: NodeProto, index: GraphIndex): Normalization | undefined {
  const centred = index.producerOf(division.input[0]!);
  const root = index.producerOf(division.input[1]!);
  const sum = root?.opType === "Sqrt" ? index.producerOf(root.input[0]!) : undefined;
  if (centred?.opType !== "Sub" || sum?.opType !== "Add") return undefined;
  const epsilon = sum.input.map((name) => index.initializer(name)).find((tensor) => tensor !== undefined);
  const variance = sum.input
    .map((name) => index.producerOf(name))
    .find((node) => node?.opType === "ReduceMean");
  if (epsilon === undefined || !isFloat(epsilon) || sizeOf(epsilon) !== 1 || !isOverTime(variance, index))
    return undefined;
  const square = index.producerOf(variance!.input[0]!);
  const isSquare =
    (square?.opType === "Mul" && square.input[0] === square.input[1]) ||
    (square?.opType === "Pow" && constantOf(square.input[1], index)?.[0] === 2);
  if (!isSquare) return undefined;
  // Exports subtract the mean once or twice; both are the same number.
  const deviation = index.producerOf(square!.input[0]!);
  if (deviation?.opType !== "Sub") return undefined;
  for (const subtraction of [centred, deviation]) {
    const mean = index.producerOf(subtraction.input[1]!);
    if (subtraction.input[0] !== centred.input[0] || !isOverTime(mean, index)) return undefined;
    if (mean!.input[0] !== centred.input[0]) return undefined;
  }
  return { x: centred.input[0]!, epsilon: valuesOf(epsilon)[0]! };
}

/** A mean over the last of three axes, keeping it. */
function isOverTime(node: NodeProto | undefined, index: GraphIndex): boolean {
  if (node?.opType !== "ReduceMean") return false;
  const axes = integersOf(node, "axes") ?? constantOf(node.input[1], index);
  return axes?.length === 1 && axes[0] === 2 && (integerOf(node, "keepdims") ?? 1) === 1;
}

function affineOf(product: NodeProto, division: NodeProto, index: GraphIndex) {
  const quotient = division.output[0]!;
  if (product.opType !== "Mul" || product.input[0] === product.input[1]) return undefined;
  const consumers = index.consumersOf(product.output[0]!);
  const sum = consumers[0];
  if (consumers.length !== 1 || sum?.opType !== "Add") return undefined;
  const scale = product.input.find((name) => name !== quotient)!;
  const shift = sum.input.find((name) => name !== product.output[0])!;
  return isByChannel(scale, index) && isByChannel(shift, index) ? { scale, shift, sum } : undefined;
}

/**
 * Is it [1, C, 1]? Two forms are known: a constant of that shape, and what a style gives: Unsqueeze of the last axis
 * after a linear layer, halved (and one added to the scale).
 */
function isByChannel(name: string, index: GraphIndex): boolean {
  const constant = index.initializer(name);
  if (constant !== undefined) {
    const [batch, , time, ...others] = shapeOf(constant);
    return batch === 1 && time === 1 && others.length === 0;
  }
  let node = index.producerOf(name);
  for (let step = 0; node !== undefined && step < 4; step++) {
    if (node.opType === "Unsqueeze") return constantOf(node.input[1], index)?.[0] === 2;
    if (node.opType === "Reshape") {
      const shape = constantOf(node.input[1], index);
      return shape?.length === 3 && shape[2] === 1;
    }
    if (node.opType === "Add" && !node.input.some((input) => isScalar(input, index))) return false;
    if (!["Add", "Split", "Slice"].includes(node.opType ?? "")) return false;
    node = node.input.map((input) => index.producerOf(input)).find((producer) => producer !== undefined);
  }
  return false;
}

function isScalar(name: string, index: GraphIndex): boolean {
  const tensor = index.initializer(name);
  return tensor !== undefined && sizeOf(tensor) === 1;
}

function constantOf(name: string | undefined, index: GraphIndex): number[] | undefined {
  const tensor = index.initializer(name);
  return tensor && numbersOf(tensor);
}
