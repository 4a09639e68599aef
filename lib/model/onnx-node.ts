/** Makes nodes of an ONNX graph and reads their attributes. */
import { create } from "@bufbuild/protobuf";
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  type NodeProto,
  NodeProtoSchema,
} from "onnx-buf";

export function createNode(
  opType: string,
  name: string | undefined,
  input: readonly string[],
  output: readonly string[],
  attribute: readonly AttributeProto[] = [],
): NodeProto {
  return create(NodeProtoSchema, {
    name: name ?? "",
    opType,
    input: [...input],
    output: [...output],
    attribute: [...attribute],
  });
}

export function createFloatAttribute(name: string, f: number): AttributeProto {
  return create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.FLOAT, f });
}

export function integersOf(node: NodeProto, name: string): number[] | undefined {
  return node.attribute.find((attribute) => attribute.name === name)?.ints.map(Number);
}

export function integerOf(node: NodeProto, name: string): number | undefined {
  const value = node.attribute.find((attribute) => attribute.name === name)?.i;
  return value === undefined ? undefined : Number(value);
}
