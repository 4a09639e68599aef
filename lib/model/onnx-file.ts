/**
 * Reads and writes ONNX files. Writing goes weight by weight: the library's own encoder would hold the whole graph
 * three times over at the end (the weights, the graph, the model around it), 1.5 GB for Kokoro.
 *
 * That is allowed because the encoding of a protobuf message is its fields one after the other, in any order
 * (protobuf.dev/programming-guides/encoding, "Message structure").
 */
import { open, readFile } from "node:fs/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { GraphProtoSchema, type ModelProto, ModelProtoSchema, TensorProtoSchema } from "onnx-buf";

export async function readOnnx(path: string): Promise<ModelProto> {
  return fromBinary(ModelProtoSchema, await readFile(path));
}

/**
 * Durable when it resolves. @returns the file's length in bytes.
 * @param path must not exist.
 */
export async function writeOnnx(path: string, model: ModelProto): Promise<number> {
  const graph = model.graph ?? create(GraphProtoSchema);
  const modelHead = toBinary(ModelProtoSchema, { ...model, graph: undefined });
  const graphHead = toBinary(GraphProtoSchema, { ...graph, initializer: [] });
  const weightHead = (bytes: number) => fieldHead(GraphProtoSchema.field.initializer.number, bytes);

  // Lengths come before contents in protobuf, so every weight is encoded twice; that is a copy of memory.
  let graphBytes = graphHead.byteLength;
  for (const tensor of graph.initializer) {
    const { byteLength } = toBinary(TensorProtoSchema, tensor);
    graphBytes += weightHead(byteLength).byteLength + byteLength;
  }

  const file = await open(path, "wx");
  try {
    let written = 0;
    const append = async (bytes: Uint8Array) => {
      await file.writeFile(bytes);
      written += bytes.byteLength;
    };
    await append(modelHead);
    await append(fieldHead(ModelProtoSchema.field.graph.number, graphBytes));
    await append(graphHead);
    for (const tensor of graph.initializer) {
      const bytes = toBinary(TensorProtoSchema, tensor);
      await append(weightHead(bytes.byteLength));
      await append(bytes);
    }
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** Number, kind and length of a field that is a message. */
function fieldHead(fieldNumber: number, bytes: number): Uint8Array {
  return new BinaryWriter().tag(fieldNumber, WireType.LengthDelimited).uint32(bytes).finish();
}
