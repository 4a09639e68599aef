/**
 * The same prompt in several modes, several times. The order rotates, so that no mode is always first (cold
 * caches) or always last (a warm, or a hot and throttled, processor); a turn that is not counted goes before.
 */
import type { AgentMode } from "../protocol/agent-events.ts";
import type { AskAgent, Trial, TrialListener } from "./trial.ts";
import { runTrial } from "./trial.ts";

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
  await warmUp(ask, { ...payload, mode: modes[0]! }, signal, listen);
  const trials: ComparedTrial[] = [];
  for (const turn of turnOrder(modes, runs)) {
    const trial = await runTrial(ask, { ...payload, mode: turn.mode }, signal, listen?.(turn));
    await onTrial?.(turn, trial);
    trials.push({ ...turn, trial });
  }
  return trials;
}

/**
 * Connections, code paths and the model's first inference are warm once audio has come; the rest of the answer
 * would only cost time, so the turn is left there, which stops the work behind it too.
 */
async function warmUp(
  ask: AskAgent,
  payload: Parameters<AskAgent>[0],
  signal: AbortSignal,
  listen: ComparisonOptions["listen"],
): Promise<void> {
  const enough = new AbortController();
  const listener = listen?.({ mode: payload.mode!, run: 0, order: -1 });
  try {
    await runTrial(ask, payload, AbortSignal.any([signal, enough.signal]), {
      onEvent: (event) => {
        listener?.onEvent?.(event);
        if (event.type === "audio_chunk") enough.abort();
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!enough.signal.aborted) throw error;
  }
}
