/**
 * Makes the graphs that the engine loads from the one that was fetched (graph-making.ts), in a worker thread: it takes
 * seconds of computing and a gigabyte, both given back at its end.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { SpeechError } from "../errors.ts";
import type { CatalogFile } from "./catalog.ts";
import { sha256Of, sizeOfFile } from "./checksum.ts";
import type { MadeGraphs, PreparationJob } from "./graph-making.ts";

/** What the thread is given. */
export interface PreparationOrder {
  readonly job: PreparationJob;
  /** One number in shared memory, 1 when nobody waits any more. */
  readonly isCancelled: Int32Array<SharedArrayBuffer>;
}

export type PreparationReply = MadeGraphs | { readonly failure: string };

export interface PreparedGraphs {
  readonly graphs: readonly CatalogFile[];
  readonly warnings: readonly string[];
}

/** @throws {SpeechError} WEIGHTS_UNAVAILABLE when the graph is not built as expected; else the signal's reason. */
export async function prepareGraphs(job: PreparationJob, signal: AbortSignal): Promise<PreparedGraphs> {
  const made = await runPreparationWorker(job, signal);
  const graphs: CatalogFile[] = [];
  for (const path of made.files) {
    const file = join(job.destination, path);
    graphs.push({ path, bytes: (await sizeOfFile(file))!, sha256: await sha256Of(file, signal) });
  }
  return { graphs, warnings: made.warnings };
}

async function runPreparationWorker(job: PreparationJob, signal: AbortSignal): Promise<MadeGraphs> {
  signal.throwIfAborted();
  const isCancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const order: PreparationOrder = { job, isCancelled };
  const worker = new Worker(new URL("./preparation-worker.ts", import.meta.url), { workerData: order });
  // Asked to stop, not ended: a thread that is ended inside ONNX Runtime takes the whole process with it
  // (lib/kokoro/worker-pool.ts).
  const stop = () => void Atomics.store(isCancelled, 0, 1);
  signal.addEventListener("abort", stop, { once: true });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  try {
    const reply = await new Promise<PreparationReply>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the preparation ended early")));
    });
    if ("failure" in reply) throw new SpeechError("WEIGHTS_UNAVAILABLE", reply.failure);
    return reply;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await exited;
  }
}
