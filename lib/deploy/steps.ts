/** The steps of an operation: each is told when it begins and ends, is timed, and is left out when there is nothing to do. */
import { isAbortError, isSpeechError, SpeechError, toSpeechError } from "../errors.ts";
import type { DeployObserver } from "./progress.ts";

export interface StepReport {
  readonly step: string;
  readonly state: "done" | "skipped" | "failed";
  /** Elapsed. */
  readonly seconds: number;
  /** What was made, or why it was left out. */
  readonly detail?: string;
}

export interface StepEnd {
  readonly state: "done" | "skipped";
  readonly detail?: string;
}

/** What a step made, for those after it. */
export interface Product<Value> extends StepEnd {
  readonly value: Value;
}

export class Steps {
  readonly reports: StepReport[] = [];
  readonly #observe: DeployObserver;
  readonly #signal: AbortSignal;
  readonly #nowMs: () => number;

  constructor(observe: DeployObserver, signal: AbortSignal, nowMs = () => performance.now()) {
    this.#observe = observe;
    this.#signal = signal;
    this.#nowMs = nowMs;
  }

  async run(step: string, work: () => Promise<StepEnd>): Promise<void> {
    await this.produce(step, async () => ({ ...(await work()), value: undefined }));
  }

  /** @throws what the work threw, as a SpeechError that has all steps up to here in its details. */
  async produce<Value>(step: string, work: () => Promise<Product<Value>>): Promise<Value> {
    this.#signal.throwIfAborted();
    const startedAtMs = this.#nowMs();
    const end = (state: StepReport["state"], detail?: string) => {
      const seconds = Math.round((this.#nowMs() - startedAtMs) / 100) / 10;
      this.reports.push({ step, state, seconds, ...(detail !== undefined && { detail }) });
      this.#observe({ kind: "step", step, state, ...(detail !== undefined && { detail }) });
    };
    this.#observe({ kind: "step", step, state: "started" });
    try {
      const { state, detail, value } = await work();
      end(state, detail);
      return value;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isAbortError(error)) throw error;
      end("failed");
      throw withSteps(error, step, this.reports);
    }
  }
}

function withSteps(error: unknown, step: string, steps: readonly StepReport[]): SpeechError {
  const known = isSpeechError(error) ? error : serviceError(error, step);
  return new SpeechError(known.code, known.message, {
    cause: known.cause ?? error,
    retryable: known.retryable,
    details: { ...known.details, step, steps },
  });
}

/** An AWS client's error: its name and message are AWS's own words. */
function serviceError(error: unknown, step: string): SpeechError {
  const isServiceError = error instanceof Error && "$metadata" in error;
  const words = isServiceError ? `${error.name}: ${error.message}`.replace(/\s+/g, " ") : undefined;
  if (words === undefined) return toSpeechError(error, "INTERNAL", `the step ${step} failed unexpectedly`);
  return new SpeechError("DEPLOYMENT_FAILED", `the step ${step} failed: ${words.replace(/\.$/, "")}`, {
    cause: error,
  });
}
