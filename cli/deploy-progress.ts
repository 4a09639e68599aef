/**
 * Draws what a deployment says, on stderr. In a terminal one line moves: step, resources, what goes on, elapsed time. In
 * a log a step is a line when it begins and one when it ends, and a long one is heard of now and then. Finished steps
 * stay as aligned lines either way; nothing needs colour.
 */
import type { DeployObserver, DeployProgress } from "../lib/deploy/progress.ts";
import type { Output } from "./output.ts";
import { progressBar } from "./status-line.ts";

export interface DeployDisplayOptions {
  readonly nowMs?: () => number;
  /** Somebody else's log, a build's: shown line by line, not only when it failed. */
  readonly verbose?: boolean;
}

const REDRAW_MS = 1_000;
/** A pipeline that hears nothing for minutes takes a job for hung; more often is noise. */
const HEARTBEAT_MS = 30_000;
const STEP_WIDTH = 12;
/** Lines of a build's log kept for its failure. */
const LOG_LINES_KEPT = 20;

type Resource = Extract<DeployProgress, { kind: "resource" }>;

export class DeployDisplay implements Disposable {
  readonly #output: Output;
  readonly #nowMs: () => number;
  readonly #verbose: boolean;
  readonly #timer: NodeJS.Timeout;
  #step: { readonly name: string; readonly startedAtMs: number } | undefined;
  #resource: Resource | undefined;
  #now = "";
  #log: string[] = [];
  #spokeAtMs: number;

  constructor(
    output: Output,
    { nowMs = () => performance.now(), verbose = false }: DeployDisplayOptions = {},
  ) {
    this.#output = output;
    this.#nowMs = nowMs;
    this.#verbose = verbose;
    this.#spokeAtMs = nowMs();
    this.#timer = setInterval(() => this.refresh(), REDRAW_MS);
    this.#timer.unref();
  }

  readonly observe: DeployObserver = (progress) => {
    switch (progress.kind) {
      case "step":
        this.#onStep(progress);
        break;
      case "resource":
        this.#resource = progress;
        this.#now = "";
        break;
      case "transfer":
        this.#now = progressBar(progress.what, progress.doneBytes, progress.totalBytes);
        break;
      case "waiting":
        this.#now = progress.what;
        break;
      case "log":
        this.#onLog(progress.source, progress.line);
        break;
    }
    this.refresh();
  };

  /** Brings the elapsed time up to now; in a log, speaks when it has been silent for long. */
  refresh(): void {
    if (this.#step === undefined) {
      // Between two steps: seconds, not minutes.
      if (this.#now !== "") this.#output.status(this.#now);
      return;
    }
    if (this.#output.rewritesStatus) {
      this.#output.status(this.#line());
    } else if (this.#nowMs() - this.#spokeAtMs >= HEARTBEAT_MS) {
      this.#say(`  ${this.#line()}`);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#output.clearStatus();
  }

  #onStep({ step, state, detail }: Extract<DeployProgress, { kind: "step" }>): void {
    if (state === "started") {
      this.#step = { name: step, startedAtMs: this.#nowMs() };
      this.#resource = undefined;
      this.#now = "";
      this.#log = [];
      if (!this.#output.rewritesStatus) this.#say(`${step} ...`);
      return;
    }
    const seconds = this.#step === undefined ? 0 : (this.#nowMs() - this.#step.startedAtMs) / 1_000;
    if (state === "failed") for (const line of this.#log) this.#say(line);
    this.#step = undefined;
    this.#now = "";
    this.#say(stepLine(step, state, seconds, detail));
  }

  #onLog(source: string, line: string): void {
    const text = `  [${source}] ${line}`;
    // A container's lines come only after it failed.
    if (this.#verbose || source === "container") this.#say(text);
    else {
      this.#now = `${source}: ${line}`;
      this.#log = [...this.#log.slice(1 - LOG_LINES_KEPT), text];
    }
  }

  /** `endpoint  3:20  7/12 resources  Speech/Endpoint CREATE_IN_PROGRESS`: what a narrow terminal cuts off comes last. */
  #line(): string {
    const { name, startedAtMs } = this.#step!;
    const parts = [name, clock((this.#nowMs() - startedAtMs) / 1_000)];
    if (this.#resource !== undefined) {
      const { completed, total, resource, status } = this.#resource;
      // The clearing up after an update is counted by no plan.
      if (total > 0) parts.push(`${completed}/${Math.max(completed, total)} resources`);
      if (this.#now === "") parts.push(`${resource} ${status}`);
    }
    if (this.#now !== "") parts.push(this.#now);
    return parts.join("  ");
  }

  #say(line: string): void {
    this.#spokeAtMs = this.#nowMs();
    this.#output.note(line);
  }
}

/** `endpoint      done     202 s  why` */
function stepLine(step: string, state: string, seconds: number, detail: string | undefined): string {
  const words = [
    step.padEnd(STEP_WIDTH),
    state.padEnd(7),
    `${seconds.toFixed(0)} s`.padStart(6),
    detail ?? "",
  ];
  return words.join("  ").trimEnd();
}

/** `0:07`, `12:40` */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
