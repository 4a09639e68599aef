/** Who makes and who reads each tensor of an ONNX graph; what a rewrite needs to find its way. */
import type { GraphProto, NodeProto, TensorProto } from "onnx-buf";
import { SpeechError } from "../errors.ts";

export class GraphIndex {
  readonly #producers = new Map<string, NodeProto>();
  readonly #consumers = new Map<string, NodeProto[]>();
  readonly #initializers = new Map<string, TensorProto>();

  constructor(graph: GraphProto) {
    for (const node of graph.node) {
      for (const output of node.output) this.#producers.set(output, node);
      for (const input of node.input) {
        const readers = this.#consumers.get(input);
        if (readers) readers.push(node);
        else this.#consumers.set(input, [node]);
      }
    }
    for (const tensor of graph.initializer) this.#initializers.set(tensor.name ?? "", tensor);
  }

  producerOf(tensorName: string): NodeProto | undefined {
    return this.#producers.get(tensorName);
  }

  consumersOf(tensorName: string): readonly NodeProto[] {
    return this.#consumers.get(tensorName) ?? [];
  }

  initializer(tensorName: string | undefined): TensorProto | undefined {
    return tensorName === undefined ? undefined : this.#initializers.get(tensorName);
  }

  /** @throws {SpeechError} WEIGHTS_UNAVAILABLE when the tensor is missing. */
  requireInitializer(tensorName: string | undefined, node: NodeProto): TensorProto {
    return this.initializer(tensorName) ?? fail(node, `lacks the constant input ${tensorName || "(none)"}`);
  }

  /** @throws {SpeechError} WEIGHTS_UNAVAILABLE when several nodes, or none, or one of another kind, read it. */
  onlyConsumer(tensorName: string, opTypes: readonly string[], node: NodeProto): NodeProto {
    const [consumer, ...others] = this.#consumers.get(tensorName) ?? [];
    if (consumer === undefined || others.length > 0 || !opTypes.includes(consumer.opType ?? "")) {
      fail(node, `is not followed by one ${opTypes.join(" or ")}`);
    }
    return consumer;
  }
}

export function fail(node: NodeProto, why: string): never {
  throw new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `the model file is not as expected: node ${node.name} (${node.opType}) ${why}`,
  );
}
