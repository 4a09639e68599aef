/** Entry of the preparation's worker thread: reads a graph as it was fetched, writes the one or two that are loaded. */
import { parentPort, workerData } from "node:worker_threads";
import { isSpeechError } from "../errors.ts";
import { makeGraphs } from "./graph-making.ts";
import type { PreparationOrder, PreparationReply } from "./graph-preparation.ts";

const { job, isCancelled } = workerData as PreparationOrder;
function reply(message: PreparationReply): void {
  parentPort!.postMessage(message);
}

try {
  reply(await makeGraphs(job, () => Atomics.load(isCancelled, 0) === 1));
} catch (error) {
  if (!isSpeechError(error)) throw error;
  reply({ failure: error.message });
}
