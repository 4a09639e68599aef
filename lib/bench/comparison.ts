/**
 * The same prompt in several modes, several times. The order rotates, so that no mode is always first (cold
 * caches) or always last (a warm, or a hot and throttled, processor); a turn that is not counted goes before.
 */
import type { AgentMode } from "../protocol/agent-events.ts";
import { SPEED_MAX } from "../protocol/limits.ts";
import type { AskAgent, Trial, TrialListener } from "./trial.ts";
import { runTrial } from "./trial.ts";

/**
 * Short, because only connections, code paths and the model's first inference are to be warmed; and heard to its
 * end, because a turn that is left may still be computing its last sentence when the first timed one begins. Said
 * at the highest speed, which is half the audio and half the work.
 */
const WARM_UP_PROMPT = "Hello.";

export interface ComparisonOptions {
  readonly ask: AskAgent;
  readonly prompt: string;
  readonly voice?: string;
  readonly speed?: number;
  readonly endpoint?: string;
  readonly modes: readonly AgentMode[];
  /** Timed turns of each mode. */
  readonly runs: number;
  readonly signal: AbortSignal;
  /** Called before each turn; gives who hears along. */
  readonly listen?: (turn: ComparedTurn) => TrialListener;
  readonly onTrial?: (turn: ComparedTurn, trial: Trial) => Promise<void> | void;
}

export interface ComparedTurn {
  readonly mode: AgentMode;
  /** 1-based run of this mode; 0 for the turn that warms up. */
  readonly run: number;
  /** 0-based place among all timed turns; -1 for the turn that warms up. */
  readonly order: number;
}

export interface ComparedTrial extends ComparedTurn {
  readonly trial: Trial;
}

/** Round r begins with mode r: three modes, three runs, and each mode is first, second and last once. */
export function turnOrder(modes: readonly AgentMode[], runs: number): ComparedTurn[] {
  return Array.from({ length: runs }, (_, round) =>
    modes.map((_, place) => ({
      mode: modes[(round + place) % modes.length]!,
      run: round + 1,
      order: round * modes.length + place,
    })),
  ).flat();
}

export async function compareModes(options: ComparisonOptions): Promise<ComparedTrial[]> {
  const { ask, prompt, voice, speed, endpoint, modes, runs, signal, listen, onTrial } = options;
  const payload = {
    prompt,
    ...(voice !== undefined && { voice }),
    ...(speed !== undefined && { speed }),
    ...(endpoint !== undefined && { endpoint }),
  };
  const warmUp = { ...payload, prompt: WARM_UP_PROMPT, speed: SPEED_MAX, mode: modes[0]! };
  await runTrial(ask, warmUp, signal, listen?.({ mode: modes[0]!, run: 0, order: -1 }));
  const trials: ComparedTrial[] = [];
  for (const turn of turnOrder(modes, runs)) {
    const trial = await runTrial(ask, { ...payload, mode: turn.mode }, signal, listen?.(turn));
    await onTrial?.(turn, trial);
    trials.push({ ...turn, trial });
  }
  return trials;
}
