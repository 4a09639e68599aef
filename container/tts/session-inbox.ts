/**
 * What a session still has to do, strictly in the order of its messages: speak, refuse, or tell that something was cancelled.
 * Cancelling works on what lies here and on what is being spoken; the rest of the order stays.
 */
import type { SpeechError } from "../../lib/errors.ts";
import type { SpeakMessage } from "../../lib/protocol/messages.ts";

export interface SpeakJob {
  readonly kind: "speak";
  readonly requestId: string;
  readonly message: SpeakMessage;
  /** Aborted with CANCELLED by a cancel message, with another reason when the caller is gone. */
  readonly controller: AbortController;
}
export type Job =
  | SpeakJob
  | { readonly kind: "refuse"; readonly requestId: string; readonly error: unknown }
  | { readonly kind: "cancelled"; readonly requestId: string };

/** Reason of an utterance's signal when its own caller cancelled it. */
export const CANCELLED = new DOMException("cancelled by the caller", "AbortError");

/**
 * Messages read ahead of the voice: as many sentences as a long answer has, so that a `cancel` behind them is still
 * read at once; and no more text than one message may have.
 */
const JOBS_MAX = 256;

export class SessionInbox {
  readonly #jobs: Job[] = [];
  readonly #charsMax: number;
  #chars = 0;
  #current: SpeakJob | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** No more should be read for now. */
  get isFull(): boolean {
    return this.#jobs.length >= JOBS_MAX || this.#chars >= this.#charsMax;
  }

  add(job: Job): void {
    if (this.#isClosed) return;
    this.#jobs.push(job);
    this.#chars += charsOf(job);
    this.#wake?.();
  }

  /** Next job when there is one; undefined after `close`, once all is done. The job before counts as finished. */
  async next(): Promise<Job | undefined> {
    this.#current = undefined;
    while (this.#jobs.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const job = this.#jobs.shift();
    if (job === undefined) return undefined;
    this.#chars -= charsOf(job);
    if (job.kind === "speak") this.#current = job;
    return job;
  }

  /**
   * Stops what is being spoken and drops what waits; with an id, only messages of that id. Every message stopped gets its own
   * answer in its place; a cancel that met none gets one of its own.
   */
  cancel(requestId: string | undefined): void {
    const isMeant = (job: Job) => requestId === undefined || job.requestId === requestId;
    let hits = 0;
    if (this.#current && isMeant(this.#current)) {
      if (!this.#current.controller.signal.aborted) this.#current.controller.abort(CANCELLED);
      hits++;
    }
    for (const [index, job] of this.#jobs.entries()) {
      if (job.kind !== "speak" || !isMeant(job)) continue;
      this.#chars -= charsOf(job);
      this.#jobs[index] = { kind: "cancelled", requestId: job.requestId };
      hits++;
    }
    if (hits === 0) this.add({ kind: "cancelled", requestId: requestId ?? "" });
  }

  /** Takes no more; what waits is still done. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  /** The caller is gone: nothing more is done, and what is being spoken stops. */
  abandon(reason: SpeechError): void {
    this.close();
    this.#jobs.length = 0;
    this.#chars = 0;
    this.#current?.controller.abort(reason);
  }
}

function charsOf(job: Job): number {
  return job.kind === "speak" ? job.message.text.length : 0;
}
