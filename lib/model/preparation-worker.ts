/** Entry of the preparation's worker thread: reads an int8 graph, writes the float32 one. */
import { parentPort, workerData } from "node:worker_threads";
import { isSpeechError } from "../errors.ts";
import { dequantize } from "./dequantize.ts";
import type { PreparationJob, PreparationReply } from "./graph-preparation.ts";
import { readOnnx, writeOnnx } from "./onnx-file.ts";

const job = workerData as PreparationJob;
function reply(message: PreparationReply): void {
  parentPort!.postMessage(message);
}

try {
  const model = await readOnnx(job.source);
  dequantize(model);
  reply({ bytes: await writeOnnx(job.destination, model) });
} catch (error) {
  if (!isSpeechError(error)) throw error;
  reply({ failure: error.message });
}
