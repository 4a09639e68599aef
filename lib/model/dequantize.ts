/**
 * Turns an int8 graph (ONNX Runtime's dynamic quantization) back into a float32 one, in place: on a CPU the
 * float graph takes about half the time, because Kokoro's many small convolutions spend more on quantizing
 * their input than they win. What quantizing rounded stays lost; nothing is added.
 *
 * Three patterns, as onnxruntime/python/tools/quantization writes them:
 *   x -> DynamicQuantizeLinear -> MatMulInteger -> Cast -> Mul(scales)               => MatMul(x, W)
 *   x -> DynamicQuantizeLinear -> ConvInteger [-> Add(int32 bias)] -> Cast -> Mul    => Conv(x, W [, bias])
 *   DynamicQuantizeLSTM(x, W, R, B, ..., scales, zero points)                        => LSTM(x, W, R, B, ...)
 */
import { create } from "@bufbuild/protobuf";
import {
  type GraphProto,
  type ModelProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
} from "onnx-buf";
import { scaled, transposedGates } from "./dequantized-weights.ts";
import { fail, GraphIndex } from "./graph-index.ts";
import { isFloat, shapeOf, sizeOf } from "./onnx-tensor.ts";

export interface DequantizedCounts {
  readonly matMul: number;
  readonly conv: number;
  readonly lstm: number;
}

/** @throws {SpeechError} WEIGHTS_UNAVAILABLE when a quantized node does not stand in one of the patterns. */
export function dequantize(model: ModelProto): DequantizedCounts {
  const graph = model.graph;
  if (graph === undefined) return { matMul: 0, conv: 0, lstm: 0 };
  const rewrite = new Dequantization(graph);
  for (const node of graph.node) rewrite.visit(node);
  rewrite.finish();
  return rewrite.counts;
}

class Dequantization {
  readonly counts = { matMul: 0, conv: 0, lstm: 0 };
  readonly #graph: GraphProto;
  readonly #index: GraphIndex;
  /** Old node -> what stands in its place. The last node of a pattern is replaced, so the order stays topological. */
  readonly #replacements = new Map<NodeProto, NodeProto>();
  readonly #floatWeights = new Map<string, TensorProto>();

  constructor(graph: GraphProto) {
    this.#graph = graph;
    this.#index = new GraphIndex(graph);
  }

  visit(node: NodeProto): void {
    if (node.opType === "MatMulInteger" || node.opType === "ConvInteger") this.#integerProduct(node);
    else if (node.opType === "DynamicQuantizeLSTM") this.#lstm(node);
  }

  #integerProduct(node: NodeProto): void {
    const index = this.#index;
    const isConv = node.opType === "ConvInteger";
    const quantizer = index.producerOf(node.input[0]!);
    if (quantizer?.opType !== "DynamicQuantizeLinear") fail(node, "does not read a DynamicQuantizeLinear");
    const weight = index.requireInitializer(node.input[1], node);

    let next = index.onlyConsumer(node.output[0]!, ["Cast", "Add"], node);
    let bias: string | undefined;
    if (next.opType === "Add") {
      const addend = next.input.find((name) => name !== node.output[0])!;
      bias = this.#floatBias(addend, shapeOf(weight)[0]!, node);
      next = index.onlyConsumer(next.output[0]!, ["Cast"], node);
    }
    const product = index.onlyConsumer(next.output[0]!, ["Mul"], node);
    const scales = index.producerOf(product.input.find((name) => name !== next.output[0]) ?? "");
    const scale = scales?.input.map((name) => index.initializer(name)).find((tensor) => tensor !== undefined);
    if (scale === undefined) fail(node, "has no constant scale");

    // Per-channel scales lie along a MatMul's last axis and a convolution's first.
    const axis = isConv ? 0 : shapeOf(weight).length - 1;
    const zeroPoint = index.initializer(node.input[3]);
    const name = this.#keep(weight, () => scaled(weight, zeroPoint, scale, axis, node));
    this.#replacements.set(
      product,
      create(NodeProtoSchema, {
        name: `${node.name}_float`,
        opType: isConv ? "Conv" : "MatMul",
        input: [quantizer.input[0]!, name, ...(bias === undefined ? [] : [bias])],
        output: [product.output[0]!],
        attribute: isConv ? node.attribute : [],
      }),
    );
    this.counts[isConv ? "conv" : "matMul"]++;
  }

  /**
   * The bias is quantized in the graph itself (divide, round, cast); its float original is a constant above.
   * The walk stops at the quantizer, beyond which lies the whole network.
   */
  #floatBias(addend: string, channels: number, node: NodeProto): string {
    const candidates = new Set<string>();
    const pending = [addend];
    const seen = new Set<string>();
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (seen.has(name)) continue;
      seen.add(name);
      const constant = this.#index.initializer(name);
      if (constant !== undefined) {
        if (isFloat(constant) && sizeOf(constant) === channels) candidates.add(name);
        continue;
      }
      const producer = this.#index.producerOf(name);
      if (producer !== undefined && producer.opType !== "DynamicQuantizeLinear")
        pending.push(...producer.input);
    }
    const named = [...candidates].filter((name) => name.endsWith(".bias"));
    const [bias, ...others] = named.length > 0 ? named : candidates;
    if (bias === undefined || others.length > 0) fail(node, "adds a bias whose float original is not found");
    return bias;
  }

  #lstm(node: NodeProto): void {
    const [x, w, r, b = "", lengths = "", h = "", c = "", peepholes = ""] = node.input;
    const [wScale, wZero, rScale, rZero] = node.input.slice(8);
    const floatOf = (weight: string, scale: string | undefined, zero: string | undefined): string => {
      const tensor = this.#index.requireInitializer(weight, node);
      return this.#keep(tensor, () =>
        transposedGates(
          tensor,
          this.#index.initializer(zero),
          this.#index.requireInitializer(scale, node),
          node,
        ),
      );
    };
    const input = [x!, floatOf(w!, wScale, wZero), floatOf(r!, rScale, rZero), b, lengths, h, c, peepholes];
    while (input.at(-1) === "") input.pop();
    this.#replacements.set(
      node,
      create(NodeProtoSchema, {
        name: `${node.name}_float`,
        opType: "LSTM",
        input,
        output: node.output,
        attribute: node.attribute.filter((attribute) => LSTM_ATTRIBUTES.has(attribute.name ?? "")),
      }),
    );
    this.counts.lstm++;
  }

  /** A weight that several nodes share is made once. */
  #keep(weight: TensorProto, make: () => TensorProto): string {
    const name = `${weight.name}_float`;
    if (!this.#floatWeights.has(name)) this.#floatWeights.set(name, make());
    return name;
  }

  /** Puts the replacements in, then drops every node and weight that no output needs any more. */
  finish(): void {
    const graph = this.#graph;
    const nodes = graph.node.map((node) => this.#replacements.get(node) ?? node);
    const needed = new Set(graph.output.map((output) => output.name ?? ""));
    const kept: NodeProto[] = [];
    // Backwards once is enough: the order is topological.
    for (const node of nodes.reverse()) {
      if (!node.output.some((output) => needed.has(output))) continue;
      for (const input of node.input) needed.add(input);
      // A subgraph (If, Loop) reads outer tensors by name alone.
      for (const attribute of node.attribute) {
        for (const inner of attribute.g?.node ?? []) for (const input of inner.input) needed.add(input);
      }
      kept.push(node);
    }
    graph.node = kept.reverse();
    graph.initializer = [...graph.initializer, ...this.#floatWeights.values()].filter((tensor) =>
      needed.has(tensor.name ?? ""),
    );
    graph.valueInfo = [];
  }
}

const LSTM_ATTRIBUTES: ReadonlySet<string> = new Set([
  "activation_alpha",
  "activation_beta",
  "activations",
  "clip",
  "direction",
  "hidden_size",
  "input_forget",
]);
