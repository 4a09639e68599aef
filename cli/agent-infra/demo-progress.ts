/** What the demo says while it runs, on stderr: one line a finished turn, and one that moves. */
import type { ComparedTurn } from "../../lib/bench/comparison.ts";
import type { TurnEvent } from "../../lib/bench/metrics.ts";
import type { Trial } from "../../lib/bench/trial.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import { SAMPLE_RATE_HZ } from "../../lib/protocol/limits.ts";
import type { Output } from "../output.ts";

export class DemoProgress {
  readonly #output: Output;
  readonly #runs: number;
  readonly #modes: readonly AgentMode[];

  constructor(output: Output, { runs, modes }: { runs: number; modes: readonly AgentMode[] }) {
    this.#output = output;
    this.#runs = runs;
    this.#modes = modes;
  }

  begin(agent: string): void {
    const turns = this.#runs === 1 ? "one turn" : `${this.#runs} turns`;
    this.#output.note(agent);
    this.#output.note(`Asking the same prompt in ${this.#modes.join(", ")}: ${turns} each, one to warm up.`);
  }

  /** What to call with each event of a turn. */
  watch(turn: ComparedTurn): (event: TurnEvent) => void {
    const label = this.#label(turn);
    let chars = 0;
    let samples = 0;
    this.#output.status(`${label}  asking ...`);
    return (event) => {
      chars += event.chars ?? 0;
      samples += event.samples ?? 0;
      const spoken = (samples / SAMPLE_RATE_HZ).toFixed(1);
      this.#output.status(`${label}  ${chars} characters written, ${spoken} s of speech received`);
    };
  }

  finished(turn: ComparedTurn, { metrics }: Trial): void {
    const { firstAudioMs, endMs, stallMs } = metrics;
    const first = firstAudioMs === null ? "no audio" : `first audio ${seconds(firstAudioMs)}`;
    const stalls = stallMs === 0 ? "" : `  stalls ${stallMs.toFixed(0)} ms`;
    this.#output.note(`${this.#label(turn)}  ${first}  end ${seconds(endMs)}${stalls}`);
  }

  #label({ mode, run }: ComparedTurn): string {
    if (run === 0) return "warm-up";
    const width = Math.max(...this.#modes.map((name) => name.length));
    return `run ${run} of ${this.#runs}  ${mode.padEnd(width)}`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2).padStart(6)} s`;
}
