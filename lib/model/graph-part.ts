/** Cuts a part out of an ONNX graph: the nodes and weights that some tensors need, down to others that are given. */
import { create } from "@bufbuild/protobuf";
import {
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  type ValueInfoProto,
} from "onnx-buf";

/**
 * Names read inside a node's subgraphs (If, Loop) belong to it too: an inner node reads outer tensors by name alone.
 */
export function inputsOf(node: NodeProto): string[] {
  const inner = node.attribute.flatMap((attribute) => attribute.g?.node ?? []);
  return [...node.input, ...inner.flatMap(inputsOf)];
}

/**
 * @param inputs tensors that are given; nothing above them is kept.
 * @returns undefined when the outputs also need an input of the whole graph that is not among `inputs`.
 */
export function extractPart(
  model: ModelProto,
  inputs: readonly ValueInfoProto[],
  outputs: readonly ValueInfoProto[],
): ModelProto | undefined {
  const graph = model.graph!;
  const given = new Set(inputs.map((input) => input.name ?? ""));
  const { nodes, needed } = nodesFor(graph, outputs, given);
  const weights = graph.initializer.filter((tensor) => needed.has(tensor.name ?? ""));
  const constants = new Set(weights.map((tensor) => tensor.name));
  const isFree = ({ name = "" }: ValueInfoProto) =>
    needed.has(name) && !given.has(name) && !constants.has(name);
  if (graph.input.some(isFree)) return undefined;
  return {
    ...model,
    graph: create(GraphProtoSchema, {
      name: graph.name ?? "",
      node: nodes,
      initializer: weights,
      input: [...inputs],
      output: [...outputs],
    }),
  };
}

/** Gives tensors other names, in nodes, weights, inputs and outputs. Makes new nodes; the old model is left as it is. */
export function renameTensors(model: ModelProto, names: ReadonlyMap<string, string>): ModelProto {
  const graph = model.graph!;
  const rename = (name: string) => names.get(name) ?? name;
  const renameValue = (value: ValueInfoProto) => ({ ...value, name: rename(value.name ?? "") });
  const renameNode = (node: NodeProto): NodeProto => ({
    ...node,
    input: node.input.map(rename),
    output: node.output.map(rename),
    attribute: node.attribute.map((attribute) =>
      attribute.g === undefined
        ? attribute
        : { ...attribute, g: { ...attribute.g, node: attribute.g.node.map(renameNode) } },
    ),
  });
  return {
    ...model,
    graph: {
      ...graph,
      node: graph.node.map(renameNode),
      initializer: graph.initializer.map((tensor) => ({ ...tensor, name: rename(tensor.name ?? "") })),
      input: graph.input.map(renameValue),
      output: graph.output.map(renameValue),
    },
  };
}

/** A model with other nodes in place of some, and more constants. The old model is left as it is. */
export function withNodes(
  model: ModelProto,
  replace: (node: NodeProto) => NodeProto[],
  constants: TensorProto[] = [],
): ModelProto {
  const graph = model.graph!;
  const known = new Set(graph.initializer.map((tensor) => tensor.name));
  const added = constants.filter((tensor) => !known.has(tensor.name));
  return {
    ...model,
    graph: {
      ...graph,
      node: graph.node.flatMap(replace),
      initializer: [...graph.initializer, ...added],
      valueInfo: [],
    },
  };
}

/** Drops nodes and weights that no output needs. */
export function withoutUnused(model: ModelProto): ModelProto {
  const graph = model.graph!;
  const { nodes, needed } = nodesFor(graph, graph.output, new Set());
  const initializer = graph.initializer.filter((tensor) => needed.has(tensor.name ?? ""));
  return { ...model, graph: { ...graph, node: nodes, initializer } };
}

function nodesFor(
  graph: GraphProto,
  outputs: readonly ValueInfoProto[],
  given: ReadonlySet<string>,
): { nodes: NodeProto[]; needed: Set<string> } {
  const needed = new Set(outputs.map((output) => output.name ?? ""));
  const nodes: NodeProto[] = [];
  // Backwards once is enough: ONNX wants nodes in topological order.
  for (const node of graph.node.toReversed()) {
    if (!node.output.some((output) => needed.has(output) && !given.has(output))) continue;
    for (const input of inputsOf(node)) needed.add(input);
    nodes.push(node);
  }
  return { nodes: nodes.reverse(), needed };
}
