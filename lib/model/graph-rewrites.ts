/**
 * Rewrites that keep the mathematics and save time on a CPU. Each takes a model and gives a new one that shares the
 * weights it did not change; graph-verification.ts holds every one against the graph before it.
 */
import type { ModelProto, NodeProto, TensorProto } from "onnx-buf";
import { GraphIndex } from "./graph-index.ts";
import { withNodes, withoutUnused } from "./graph-part.ts";
import { fuseInstanceNormalization } from "./instance-normalization.ts";
import { createNode } from "./onnx-node.ts";
import { int64Tensor, isFloat, sizeOf, valuesOf } from "./onnx-tensor.ts";

export interface GraphRewrite {
  /** In words for people. */
  readonly name: string;
  apply(model: ModelProto): ModelProto;
}

export const GRAPH_REWRITES: readonly GraphRewrite[] = [
  { name: "instance normalization as one operator", apply: fuseInstanceNormalization },
  { name: "squares as products", apply: squaresAsProducts },
  { name: "convolutions as two-dimensional ones", apply: convolutionsAsTwoDimensional },
];

/** Pow(x, 2) calls a general power for each number; Mul(x, x) is one multiplication. */
export function squaresAsProducts(model: ModelProto): ModelProto {
  const index = new GraphIndex(model.graph!);
  return withNodes(model, (node) => {
    if (node.opType !== "Pow") return [node];
    const exponent = index.initializer(node.input[1]);
    if (exponent === undefined || !isFloat(exponent) || sizeOf(exponent) !== 1 || valuesOf(exponent)[0] !== 2)
      return [node];
    return [createNode("Mul", node.name, [node.input[0]!, node.input[0]!], node.output)];
  });
}

/**
 * ONNX Runtime's fast convolutions, which work on blocks of channels, are made for images: a sound is given to them
 * as an image one pixel high. Unsqueeze and Squeeze move no data.
 */
export function convolutionsAsTwoDimensional(model: ModelProto): ModelProto {
  const index = new GraphIndex(model.graph!);
  const axis = "rewrite.height_axis";
  const weights = new Map<string, TensorProto>();
  const rewritten = withNodes(
    model,
    (node) => {
      if (node.opType !== "Conv" && node.opType !== "ConvTranspose") return [node];
      const weight = index.initializer(node.input[1]);
      if (weight === undefined || weight.dims.length !== 3) return [node];
      const name = `${weight.name}.image`;
      if (!weights.has(name)) {
        const [outer, inner, ...length] = weight.dims;
        weights.set(name, { ...weight, name, dims: [outer!, inner!, 1n, ...length] });
      }
      const [x, y] = [`${node.output[0]}.image_in`, `${node.output[0]}.image_out`];
      return [
        createNode("Unsqueeze", `${node.name}/in`, [node.input[0]!, axis], [x]),
        {
          ...node,
          input: [x, name, ...node.input.slice(2)],
          output: [y],
          attribute: node.attribute.map(twoDimensional),
        },
        createNode("Squeeze", `${node.name}/out`, [y, axis], [node.output[0]!]),
      ];
    },
    [int64Tensor(axis, [1], BigInt64Array.of(2n))],
  );
  if (weights.size === 0) return model;
  const graph = rewritten.graph!;
  return withoutUnused({
    ...rewritten,
    graph: { ...graph, initializer: [...graph.initializer, ...weights.values()] },
  });
}

const ALONG_TIME: Readonly<Record<string, bigint>> = {
  kernel_shape: 1n,
  strides: 1n,
  dilations: 1n,
  output_padding: 0n,
};

function twoDimensional(attribute: NodeProto["attribute"][number]): NodeProto["attribute"][number] {
  const name = attribute.name ?? "";
  const across = ALONG_TIME[name];
  if (across !== undefined) return { ...attribute, ints: [across, ...attribute.ints] };
  if (name !== "pads") return attribute;
  const [begin = 0n, end = 0n] = attribute.ints;
  return { ...attribute, ints: [0n, begin, 0n, end] };
}
