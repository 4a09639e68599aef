/** Entry of the preparation's worker thread: reads an int8 graph, writes the float32 one. */
import { readFile, writeFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import { isSpeechError } from "../errors.ts";
import { dequantize } from "./dequantize.ts";
import type { PreparationJob, PreparationReply } from "./graph-preparation.ts";

const job = workerData as PreparationJob;
function reply(message: PreparationReply): void {
  parentPort!.postMessage(message);
}

try {
  const model = fromBinary(ModelProtoSchema, await readFile(job.source));
  dequantize(model);
  const bytes = toBinary(ModelProtoSchema, model);
  await writeFile(job.destination, bytes, { flush: true });
  reply({ bytes: bytes.byteLength });
} catch (error) {
  if (!isSpeechError(error)) throw error;
  reply({ failure: error.message });
}
