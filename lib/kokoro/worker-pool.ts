/**
 * Runs tasks on N worker threads, one task a worker at a time: beginnings first, else first come, first served. A
 * worker that dies fails the task it had and is replaced. Knows nothing of speech but the messages it passes on.
 */
import { Worker } from "node:worker_threads";
import { SpeechError } from "../errors.ts";
import {
  buffersOf,
  fromErrorRecord,
  type SpokenPiece,
  type WorkerReply,
  type WorkerSetup,
  type WorkerTask,
} from "./worker-messages.ts";

interface Job {
  readonly task: WorkerTask;
  /** Settles the caller's promise; later calls do nothing. */
  resolve(piece: SpokenPiece): void;
  reject(error: unknown): void;
}

interface Slot {
  readonly worker: Worker;
  /** Set while the thread computes, also after the caller left. */
  job: Job | undefined;
  isReady: boolean;
  /** To be ended as soon as it does not compute. */
  isRetiring: boolean;
  readonly exited: Promise<void>;
}

/** A worker that cannot even start (weights deleted, no memory) is not tried for ever. */
const START_ATTEMPTS_MAX = 3;
const RESTART_DELAY_MS = 500;

export class WorkerPool {
  readonly #entry: URL;
  readonly #setup: WorkerSetup;
  readonly #slots = new Set<Slot>();
  readonly #queue: Job[] = [];
  #failedStarts = 0;
  #broken: SpeechError | undefined;

  private constructor(entry: URL, setup: WorkerSetup) {
    this.#entry = entry;
    this.#setup = setup;
  }

  /**
   * @param entry module of the worker; it answers as synthesis-worker.ts does.
   * @throws {SpeechError} what the first worker that could not start said.
   */
  static async start(entry: URL, setup: WorkerSetup, workers: number): Promise<WorkerPool> {
    const pool = new WorkerPool(entry, setup);
    try {
      await Promise.all(Array.from({ length: workers }, () => pool.#addWorker()));
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  /**
   * @param signal aborting takes a waiting task out of the queue; one that runs is finished unheard.
   * @throws {SpeechError} SYNTHESIS_FAILED when the worker died; else what the task failed with.
   */
  run(task: WorkerTask, signal: AbortSignal): Promise<SpokenPiece> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#broken) return reject(this.#broken);
      const onAbort = () => job.reject(signal.reason);
      const settle = () => {
        signal.removeEventListener("abort", onAbort);
        const waiting = this.#queue.indexOf(job);
        if (waiting !== -1) this.#queue.splice(waiting, 1);
      };
      const job: Job = {
        task,
        resolve: (piece) => {
          settle();
          resolve(piece);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#enqueue(job);
      this.#dispatch();
    });
  }

  /** Thread ids, for tests that kill one. */
  get workers(): readonly Worker[] {
    return [...this.#slots].map((slot) => slot.worker);
  }

  /**
   * Fails every call at once, then waits for the pieces being computed (or the start being made): a thread
   * terminated inside ONNX Runtime takes the whole process with it (onnxruntime-node 1.30.0: an uncaught
   * Napi::Error, SIGABRT). Threads that do not compute end at once.
   */
  async close(): Promise<void> {
    this.#break(new SpeechError("SYNTHESIS_FAILED", "the speech engine is shut down"));
    const slots = [...this.#slots];
    for (const slot of slots) {
      slot.isRetiring = true;
      this.#endIfIdle(slot);
    }
    await Promise.all(slots.map((slot) => slot.exited));
  }

  #endIfIdle(slot: Slot): void {
    if (slot.isReady && slot.job === undefined) void slot.worker.terminate();
  }

  /** Beginnings go before all that only goes on: their listeners hear nothing yet. In order among themselves. */
  #enqueue(job: Job): void {
    const firstLater =
      job.task.kind === "begin" ? this.#queue.findIndex((other) => other.task.kind !== "begin") : -1;
    this.#queue.splice(firstLater === -1 ? this.#queue.length : firstLater, 0, job);
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (this.#queue.length === 0) return;
      if (!slot.isReady || slot.job || slot.isRetiring) continue;
      slot.job = this.#queue.shift()!;
      const { task } = slot.job;
      slot.worker.postMessage(task, task.kind === "continue" ? buffersOf(task.rest) : []);
    }
  }

  /** Resolves when the worker is warm, rejects when it cannot start. */
  #addWorker(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(this.#entry, { workerData: this.#setup, name: "speech-engine" });
      const exit = Promise.withResolvers<void>();
      const slot: Slot = { worker, job: undefined, isReady: false, isRetiring: false, exited: exit.promise };
      this.#slots.add(slot);
      let death: unknown;
      worker.on("error", (error) => {
        death = error; // `exit` follows
      });
      worker.on("exit", (exitCode) => {
        this.#slots.delete(slot);
        const error = new SpeechError(
          "SYNTHESIS_FAILED",
          "a worker of the speech engine stopped; try again",
          {
            cause: death ?? new Error(`worker thread ended with code ${exitCode}`),
            retryable: true,
          },
        );
        slot.job?.reject(error);
        reject(error);
        exit.resolve();
        if (slot.isReady) this.#replaceWorker();
      });
      worker.on("message", (reply: WorkerReply) => {
        if (reply.kind === "ready") {
          slot.isReady = true;
          this.#failedStarts = 0;
          resolve();
        } else if (!slot.isReady && reply.kind === "failed") {
          reject(fromErrorRecord(reply.error));
          void worker.terminate();
          return;
        } else {
          const job = slot.job;
          slot.job = undefined;
          if (reply.kind === "spoken") job?.resolve(reply.piece);
          else job?.reject(fromErrorRecord(reply.error));
        }
        if (slot.isRetiring) this.#endIfIdle(slot);
        else this.#dispatch();
      });
    });
  }

  #replaceWorker(): void {
    if (this.#broken) return;
    this.#addWorker().catch((error: unknown) => {
      if (this.#broken) return;
      if (++this.#failedStarts < START_ATTEMPTS_MAX) {
        setTimeout(() => this.#replaceWorker(), RESTART_DELAY_MS * 2 ** this.#failedStarts).unref();
      } else if (this.#slots.size === 0) {
        this.#break(
          new SpeechError(
            "SYNTHESIS_FAILED",
            "the speech engine cannot be started again; restart the server",
            {
              cause: error,
            },
          ),
        );
      }
    });
  }

  #break(error: SpeechError): void {
    this.#broken ??= error;
    for (const job of [...this.#queue]) job.reject(error);
    for (const slot of this.#slots) slot.job?.reject(error);
  }
}
