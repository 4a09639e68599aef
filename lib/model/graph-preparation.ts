/**
 * Makes the graph that the engine loads from the one that was fetched. The int8 export is turned into float32
 * (dequantize.ts), in a worker thread: it takes seconds of computing and a gigabyte, both given back at its end.
 * The float32 export is used as it is.
 */
import { copyFile, link } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { SpeechError } from "../errors.ts";
import type { GraphOrigin } from "./catalog.ts";
import { sha256Of } from "./checksum.ts";

export interface PreparationJob {
  readonly source: string;
  readonly destination: string;
}

export interface PreparedGraph {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * @param job `destination` must not exist; it is left half-written on failure, so it belongs in a scratch folder.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE when the graph is not built as expected.
 */
export async function prepareGraph(
  origin: GraphOrigin,
  job: PreparationJob,
  source: { readonly bytes: number; readonly sha256: string },
  signal: AbortSignal,
): Promise<PreparedGraph> {
  if (origin === "fp32") {
    // A hard link costs no space; another file system, or one without links, gets a copy.
    await link(job.source, job.destination).catch(() => copyFile(job.source, job.destination));
    return { bytes: source.bytes, sha256: source.sha256 };
  }
  const bytes = await runPreparationWorker(job, signal);
  return { bytes, sha256: await sha256Of(job.destination, signal) };
}

export type PreparationReply = { readonly bytes: number } | { readonly failure: string };

async function runPreparationWorker(job: PreparationJob, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./preparation-worker.ts", import.meta.url), { workerData: job });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const reply = await new Promise<PreparationReply>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the preparation ended early")));
    });
    if ("failure" in reply) throw new SpeechError("WEIGHTS_UNAVAILABLE", reply.failure);
    return reply.bytes;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
