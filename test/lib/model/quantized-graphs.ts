/** Tiny int8 graphs in the three patterns that ONNX Runtime's dynamic quantization writes. */
import { create } from "@bufbuild/protobuf";
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  OperatorSetIdProtoSchema,
  type TensorProto,
  TensorProtoSchema,
  TensorProto_DataType as Type,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from "onnx-buf";

type Values =
  | Float32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>;

export function tensor(name: string, shape: number[], values: Values): TensorProto {
  const dataType =
    values instanceof Float32Array
      ? Type.FLOAT
      : values instanceof Uint8Array
        ? Type.UINT8
        : values instanceof Int8Array
          ? Type.INT8
          : Type.INT64;
  return create(TensorProtoSchema, {
    name,
    dims: shape.map(BigInt),
    dataType,
    rawData: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  });
}

export function node(
  opType: string,
  input: string[],
  output: string[],
  more: { domain?: string; attribute?: AttributeProto[] } = {},
): NodeProto {
  return create(NodeProtoSchema, { name: `${opType}:${output[0]}`, opType, input, output, ...more });
}

const integer = (name: string, i: number) =>
  create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(i) });
const text = (name: string, s: string) =>
  create(AttributeProtoSchema, {
    name,
    type: AttributeProto_AttributeType.STRING,
    s: new TextEncoder().encode(s),
  });
const castTo = (input: string, output: string, type: Type) =>
  node("Cast", [input], [output], { attribute: [integer("to", type)] });

function floats(name: string, shape: number[]): ValueInfoProto {
  const dim = shape.map((length) => ({ value: { case: "dimValue" as const, value: BigInt(length) } }));
  return create(ValueInfoProtoSchema, {
    name,
    type: { value: { case: "tensorType", value: { elemType: Type.FLOAT, shape: { dim } } } },
  });
}

export function modelOf(
  nodes: NodeProto[],
  initializers: TensorProto[],
  input: { name: string; shape: number[] },
  output: { name: string; shape: number[] },
): ModelProto {
  return create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [
      create(OperatorSetIdProtoSchema, { domain: "", version: 17n }),
      create(OperatorSetIdProtoSchema, { domain: "com.microsoft", version: 1n }),
    ],
    graph: create(GraphProtoSchema, {
      name: "tiny",
      node: nodes,
      initializer: initializers,
      input: [floats(input.name, input.shape)],
      output: [floats(output.name, output.shape)],
    }),
  });
}

const quantize = node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]);

/** [1, 3] x [3, 2]; `scales` for each column, or one for all. */
export function matMulModel(scales: number[], zeros: number[]): ModelProto {
  const shape = scales.length > 1 ? [scales.length] : [];
  return modelOf(
    [
      quantize,
      node("MatMulInteger", ["xq", "w", "xz", "wz"], ["p"]),
      castTo("p", "pf", Type.FLOAT),
      node("Mul", ["xs", "ws"], ["s"]),
      node("Mul", ["pf", "s"], ["y"]),
    ],
    [
      tensor("w", [3, 2], Uint8Array.of(0, 255, 128, 100, 7, 200)),
      tensor("wz", shape, Uint8Array.from(zeros)),
      tensor("ws", shape, Float32Array.from(scales)),
    ],
    { name: "x", shape: [1, 3] },
    { name: "y", shape: [1, 2] },
  );
}

/** A convolution [1, 2, 5] -> [1, 3, 4] whose bias is quantized in the graph, as the quantizer leaves it. */
export function convModel(): ModelProto {
  const kernel = create(AttributeProtoSchema, {
    name: "kernel_shape",
    type: AttributeProto_AttributeType.INTS,
    ints: [2n],
  });
  return modelOf(
    [
      quantize,
      node("Mul", ["xs", "ws"], ["s"]),
      node("Div", ["c.bias", "s"], ["bd"]),
      node("Floor", ["bd"], ["bf"]),
      castTo("bf", "bi", Type.INT32),
      node("Reshape", ["bi", "bshape"], ["b3"]),
      node("ConvInteger", ["xq", "w", "xz", "wz"], ["p"], { attribute: [kernel] }),
      node("Add", ["p", "b3"], ["pb"]),
      castTo("pb", "pf", Type.FLOAT),
      node("Mul", ["pf", "s"], ["y"]),
    ],
    [
      tensor("w", [3, 2, 2], Uint8Array.of(0, 255, 128, 100, 7, 200, 60, 70, 80, 90, 250, 1)),
      tensor("wz", [], Uint8Array.of(120)),
      tensor("ws", [], Float32Array.of(0.01)),
      tensor("c.bias", [3], Float32Array.of(0.5, -1, 2)),
      tensor("bshape", [3], BigInt64Array.of(1n, 3n, 1n)),
    ],
    { name: "x", shape: [1, 2, 5] },
    { name: "y", shape: [1, 3, 4] },
  );
}

/** Both directions, 3 inputs, 2 hidden, 4 steps; one scale for each direction. */
export function lstmModel(): ModelProto {
  const bytes = (count: number, step: number) =>
    Int8Array.from({ length: count }, (_, i) => ((i * step) % 200) - 100);
  return modelOf(
    [
      node("DynamicQuantizeLSTM", ["x", "W", "R", "B", "", "", "", "", "Ws", "Wz", "Rs", "Rz"], ["y"], {
        domain: "com.microsoft",
        attribute: [text("direction", "bidirectional"), integer("hidden_size", 2)],
      }),
    ],
    [
      tensor("W", [2, 3, 8], bytes(48, 37)),
      tensor("R", [2, 2, 8], bytes(32, 53)),
      tensor(
        "B",
        [2, 16],
        Float32Array.from({ length: 32 }, (_, i) => (i % 5) / 10),
      ),
      tensor("Ws", [2], Float32Array.of(0.01, 0.02)),
      tensor("Wz", [2], Int8Array.of(0, 0)),
      tensor("Rs", [2], Float32Array.of(0.015, 0.01)),
      tensor("Rz", [2], Int8Array.of(0, 0)),
    ],
    { name: "x", shape: [4, 1, 3] },
    { name: "y", shape: [4, 2, 1, 2] },
  );
}
