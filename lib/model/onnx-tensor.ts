/**
 * Reads and makes the weight tensors (initializers) of an ONNX graph. ONNX stores numbers either as raw
 * little-endian bytes or, in small tensors, in a typed field (onnx.proto, message TensorProto).
 */
import { create } from "@bufbuild/protobuf";
import { type TensorProto, TensorProto_DataType, TensorProtoSchema } from "onnx-buf";
import { SpeechError } from "../errors.ts";

export function shapeOf(tensor: TensorProto): number[] {
  return tensor.dims.map(Number);
}

export function sizeOf(tensor: TensorProto): number {
  return shapeOf(tensor).reduce((product, length) => product * length, 1);
}

type Numbers = Float32Array | Int8Array | Uint8Array | Int32Array;

const READERS: Readonly<
  Record<number, { bytes: number; raw: (bytes: Uint8Array) => Numbers; typed: (t: TensorProto) => Numbers }>
> = {
  [TensorProto_DataType.FLOAT]: {
    bytes: 4,
    raw: (bytes) => new Float32Array(aligned(bytes)),
    typed: (tensor) => Float32Array.from(tensor.floatData),
  },
  [TensorProto_DataType.INT8]: {
    bytes: 1,
    raw: (bytes) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    typed: (tensor) => Int8Array.from(tensor.int32Data),
  },
  [TensorProto_DataType.UINT8]: {
    bytes: 1,
    raw: (bytes) => bytes,
    typed: (tensor) => Uint8Array.from(tensor.int32Data),
  },
  [TensorProto_DataType.INT32]: {
    bytes: 4,
    raw: (bytes) => new Int32Array(aligned(bytes)),
    typed: (tensor) => Int32Array.from(tensor.int32Data),
  },
};

/** Row-major values. May be a view of the tensor's own bytes: not to be written to. */
export function valuesOf(tensor: TensorProto): Numbers {
  const reader = READERS[tensor.dataType ?? 0];
  if (reader === undefined || tensor.externalData.length > 0) {
    throw unreadable(tensor, `has data type ${tensor.dataType}, kept in a way that is not read here`);
  }
  const raw = tensor.rawData;
  const values = raw !== undefined && raw.byteLength > 0 ? reader.raw(raw) : reader.typed(tensor);
  if (values.length !== sizeOf(tensor))
    throw unreadable(tensor, `holds ${values.length} values, not its shape's`);
  return values;
}

/** A float32 tensor over `values`, whose buffer it keeps. */
export function floatTensor(
  name: string,
  shape: readonly number[],
  values: Float32Array<ArrayBuffer>,
): TensorProto {
  return create(TensorProtoSchema, {
    name,
    dims: shape.map(BigInt),
    dataType: TensorProto_DataType.FLOAT,
    rawData: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  });
}

export function int64Tensor(
  name: string,
  shape: readonly number[],
  values: BigInt64Array<ArrayBuffer>,
): TensorProto {
  return create(TensorProtoSchema, {
    name,
    dims: shape.map(BigInt),
    dataType: TensorProto_DataType.INT64,
    rawData: new Uint8Array(values.buffer),
  });
}

/** As numbers, whatever the type; for the small constants that say axes, shapes and exponents. */
export function numbersOf(tensor: TensorProto): number[] {
  if (tensor.dataType !== TensorProto_DataType.INT64) return [...valuesOf(tensor)];
  const raw = tensor.rawData;
  if (raw === undefined || raw.byteLength === 0) return tensor.int64Data.map(Number);
  return [...new BigInt64Array(aligned(raw))].map(Number);
}

export function isFloat(tensor: TensorProto): boolean {
  return tensor.dataType === TensorProto_DataType.FLOAT;
}

/** protobuf hands out views at any offset; typed arrays of wider numbers need their own alignment. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function unreadable(tensor: TensorProto, why: string): SpeechError {
  return new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `the model file is not as expected: tensor ${tensor.name} ${why}`,
  );
}
