/**
 * The speech engine as the rest of the program sees it (synthesizer.ts), on worker threads. Calls take turns
 * window by window: a text rejoins the queue after each, and first windows go before later ones (worker-pool.ts), so
 * a long text delays a short one by one window at most.
 */
import { availableParallelism } from "node:os";
import type { AudioSegment, SynthesisRequest, Synthesizer } from "./synthesizer.ts";
import { findVoice } from "./voices.ts";
import type { SpokenPiece, UnspokenRest } from "./worker-messages.ts";
import { WorkerPool } from "./worker-pool.ts";

export interface WorkerSynthesizerOptions {
  /** A model directory of lib/model. */
  readonly modelDir: string;
  /** Engines side by side; each holds its own copy of the weights. */
  readonly workers?: number | undefined;
  /** Threads that one engine computes with. */
  readonly threadsPerWorker?: number | undefined;
}

/** More threads than this bring little: Kokoro's layers are small. */
const THREADS_PER_WORKER_MAX = 4;

/** One engine over all cores answers one listener soonest; more engines only where cores are left over. */
export function defaultWorkerPlan(cores: number): { workers: number; threadsPerWorker: number } {
  const threadsPerWorker = Math.max(1, Math.min(cores, THREADS_PER_WORKER_MAX));
  return { workers: Math.max(1, Math.floor(cores / threadsPerWorker)), threadsPerWorker };
}

/**
 * Resolves when every worker is warm.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE when the model directory cannot be loaded.
 */
export async function startWorkerSynthesizer(options: WorkerSynthesizerOptions): Promise<Synthesizer> {
  const plan = defaultWorkerPlan(availableParallelism());
  const pool = await WorkerPool.start(
    new URL("./synthesis-worker.ts", import.meta.url),
    { modelDir: options.modelDir, threads: options.threadsPerWorker ?? plan.threadsPerWorker },
    options.workers ?? plan.workers,
  );
  return new WorkerSynthesizer(pool);
}

export class WorkerSynthesizer implements Synthesizer {
  readonly #pool: WorkerPool;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  checkVoice(voice: string): void {
    findVoice(voice);
  }

  async *synthesize(
    request: SynthesisRequest,
    signal: AbortSignal,
  ): AsyncGenerator<AudioSegment, void, void> {
    const { text, voice, speed, windows = true } = request;
    const manner = { voice, speed, windows };
    findVoice(voice);
    // Ends the piece computed ahead when the reader leaves the loop early.
    const departure = new AbortController();
    const until = AbortSignal.any([signal, departure.signal]);
    try {
      let current: SpokenPiece | undefined = await this.#pool.run({ kind: "begin", text, ...manner }, until);
      while (current) {
        const rest: UnspokenRest | undefined = current.rest;
        const ahead: Promise<SpokenPiece> | undefined =
          rest && this.#pool.run({ kind: "continue", rest, ...manner }, until);
        ahead?.catch(() => {}); // its failure is met at the await below
        if (current.samples) yield { samples: current.samples, inferenceMs: current.inferenceMs };
        signal.throwIfAborted();
        current = await ahead;
      }
    } finally {
      departure.abort();
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
