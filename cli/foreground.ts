/** A local system that runs until somebody stops it, or one of its parts ends. */
import type { LocalSystem } from "../lib/local/local-system.ts";
import type { CliContext } from "./run.ts";

/**
 * Never resolves: a signal or a failure ends it.
 * @throws the signal's reason, or the SpeechError that says which part ended and why.
 */
export async function untilStopped(
  system: LocalSystem,
  { signal }: CliContext,
  announce: () => void,
): Promise<never> {
  try {
    const stop = AbortSignal.any([signal, system.failure]);
    stop.throwIfAborted();
    announce();
    // An idle parent has nothing else that keeps it alive once its children's pipes are quiet.
    const alive = setInterval(() => {}, 60_000);
    await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }));
    clearInterval(alive);
    throw stop.reason;
  } finally {
    await system.stop();
  }
}
