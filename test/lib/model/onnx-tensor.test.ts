import { create } from "@bufbuild/protobuf";
import { TensorProtoSchema, TensorProto_DataType as Type } from "onnx-buf";
import { describe, expect, it } from "vitest";
import { floatTensor, shapeOf, sizeOf, valuesOf } from "../../../lib/model/onnx-tensor.ts";

describe("ONNX tensors", () => {
  it("come back as they were made", () => {
    const tensor = floatTensor("t", [2, 2], Float32Array.of(1, -2, 0.5, 4));
    expect(shapeOf(tensor)).toEqual([2, 2]);
    expect([...valuesOf(tensor)]).toEqual([1, -2, 0.5, 4]);
  });

  it("are read from raw bytes at any offset", () => {
    const bytes = new Uint8Array(9);
    bytes.set(new Uint8Array(Float32Array.of(1.5, -3).buffer), 1);
    const raw = { name: "t", dims: [2n], dataType: Type.FLOAT, rawData: bytes.subarray(1) };
    expect([...valuesOf(create(TensorProtoSchema, raw))]).toEqual([1.5, -3]);
  });

  it.each([
    [{ dataType: Type.FLOAT, floatData: [1, 2] }, [1, 2]],
    [{ dataType: Type.INT8, int32Data: [-1, 2] }, [-1, 2]],
    [{ dataType: Type.UINT8, int32Data: [255, 0] }, [255, 0]],
    [{ dataType: Type.INT32, int32Data: [-70_000, 2] }, [-70_000, 2]],
    [{ dataType: Type.INT8, rawData: Uint8Array.of(255, 2) }, [-1, 2]],
  ])("are read from typed fields too: %j", (fields, values) => {
    expect([...valuesOf(create(TensorProtoSchema, { name: "t", dims: [2n], ...fields }))]).toEqual(values);
  });

  it("hold one value without a shape", () => expect(sizeOf(create(TensorProtoSchema, {}))).toBe(1));

  it.each([
    ["an unread type", { dataType: Type.STRING, dims: [1n] }],
    ["too few values", { dataType: Type.FLOAT, dims: [3n], rawData: new Uint8Array(8) }],
    [
      "values in another file",
      { dataType: Type.FLOAT, dims: [1n], externalData: [{ key: "location", value: "x" }] },
    ],
  ])("fail with %s", (_name, fields) => {
    expect(() => valuesOf(create(TensorProtoSchema, { name: "bad", ...fields }))).toThrow(/tensor bad/);
  });
});
