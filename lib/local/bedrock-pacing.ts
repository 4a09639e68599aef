/**
 * Gives pieces out at a language model's pace. Every piece has its due time on one monotonic schedule, so a late
 * timer or a slow reader does not push the rest back: what is overdue comes at once.
 */
import { setTimeout as delay } from "node:timers/promises";

export interface Pace {
  /** From the request to the first piece. */
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}

export const PACE_DEFAULT: Pace = { firstTokenMs: 500, tokensPerSecond: 50 };

export interface PaceClock {
  /** Monotonic, milliseconds. */
  nowMs(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: PaceClock = {
  nowMs: () => performance.now(),
  sleep: (durationMs, signal) => delay(durationMs, undefined, { signal }),
};

/**
 * @param beganMs on the clock: when the request came.
 * @param signal ends the iteration with its reason, also while it waits.
 */
export async function* paceTokens(
  tokens: readonly string[],
  pace: Pace,
  beganMs: number,
  signal: AbortSignal,
  clock: PaceClock = SYSTEM_CLOCK,
): AsyncGenerator<string, void, undefined> {
  for (const [i, token] of tokens.entries()) {
    const waitMs = beganMs + pace.firstTokenMs + (i * 1000) / pace.tokensPerSecond - clock.nowMs();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    signal.throwIfAborted();
    yield token;
  }
}
