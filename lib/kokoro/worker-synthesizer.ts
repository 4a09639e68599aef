/**
 * The speech engine as the rest of the program sees it (synthesizer.ts), on worker threads. Calls take turns
 * window by window: nothing of a text is queued but the window its reader waits for, so a long text delays a short one
 * by one window at most.
 */
import { availableParallelism } from "node:os";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import type { AudioSegment, SynthesisRequest, Synthesizer } from "./synthesizer.ts";
import { findVoice } from "./voices.ts";
import type { SpokenPiece } from "./worker-messages.ts";
import { WorkerPool } from "./worker-pool.ts";

export interface WorkerSynthesizerOptions {
  /** A model directory of lib/model. */
  readonly modelDir: string;
  /** Engines side by side; each holds its own copy of the weights. */
  readonly workers?: number | undefined;
  /** Threads that one engine computes with. */
  readonly threadsPerWorker?: number | undefined;
  /** @default cpu; whether another can be used, says compute-device.ts */
  readonly device?: SpeechDevice | undefined;
}

/** Of every sample that Kokoro makes. */
const SAMPLE_RATE_HZ = 24_000;

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
    {
      modelDir: options.modelDir,
      threads: options.threadsPerWorker ?? plan.threadsPerWorker,
      device: options.device,
    },
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
    findVoice(voice);
    const aheadMs = request.aheadMs ?? (() => Math.max(0, dryMs - performance.now()));
    const manner = () => ({ voice, speed, windows, aheadMs: aheadMs() });
    let dryMs = 0;
    let piece: SpokenPiece = await this.#pool.run({ kind: "begin", text, ...manner() }, signal);
    for (;;) {
      const { samples, inferenceMs, phonemesMs, rest } = piece;
      if (samples) {
        dryMs = Math.max(dryMs, performance.now()) + (samples.length / SAMPLE_RATE_HZ) * 1000;
        yield { samples, inferenceMs, phonemesMs };
      }
      if (rest === undefined) return;
      piece = await this.#pool.run({ kind: "continue", rest, ...manner() }, signal);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
