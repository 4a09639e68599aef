/**
 * Entry of a worker thread: starts one engine, says `ready`, then answers one task after the other.
 * ONNX Runtime computes on the calling thread; here that keeps no event loop waiting but its own.
 */
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { SpeechEngine } from "./speech-engine.ts";
import {
  buffersOf,
  toErrorRecord,
  type WorkerReply,
  type WorkerSetup,
  type WorkerTask,
} from "./worker-messages.ts";

/**
 * Niceness of this thread and of those that ONNX Runtime starts from it: when every core computes, the thread that
 * answers /ping and accepts sockets still runs at once. On Linux alone is 0 this thread; elsewhere the process.
 */
const COMPUTE_NICENESS = 10;
if (process.platform === "linux") setPriority(0, COMPUTE_NICENESS);

const port = parentPort!;

function reply(message: WorkerReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function answer(engine: SpeechEngine, task: WorkerTask): Promise<void> {
  try {
    const piece =
      task.kind === "begin" ? await engine.begin(task.text, task) : await engine.continue(task.rest, task);
    const samples = piece.samples ? [piece.samples.buffer] : [];
    reply({ kind: "spoken", piece }, [...samples, ...buffersOf(piece.rest)]);
  } catch (error) {
    reply({ kind: "failed", error: toErrorRecord(error) });
  }
}

try {
  const engine = await SpeechEngine.start(workerData as WorkerSetup);
  port.on("message", (task: WorkerTask) => answer(engine, task));
  reply({ kind: "ready" });
} catch (error) {
  reply({ kind: "failed", error: toErrorRecord(error) });
}
