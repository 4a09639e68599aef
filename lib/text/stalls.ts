/**
 * Text deltas with a sign where their source pauses, so that a chunker may release a clause it holds
 * (IncrementalSentenceChunker.releaseStalled) instead of silence until the language model goes on.
 */

/** The source has been silent for a while; once for each pause. */
export const STALL: unique symbol = Symbol("stall");

/** The clock, for tests. */
export interface StallTimers {
  set(onTime: () => void, afterMs: number): unknown;
  clear(timer: unknown): void;
}

const SYSTEM_TIMERS: StallTimers = {
  set: (onTime, afterMs) => setTimeout(onTime, afterMs),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** @throws what the source throws. Leaving early leaves the source, too. */
export async function* withStalls(
  textDeltas: AsyncIterable<string>,
  afterMs: number,
  timers: StallTimers = SYSTEM_TIMERS,
): AsyncGenerator<string | typeof STALL> {
  const source = textDeltas[Symbol.asyncIterator]();
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const next = source.next();
      next.catch(() => {}); // it is awaited below, but perhaps only after the pause has been dealt with
      const stall = Promise.withResolvers<typeof STALL>();
      const timer = timers.set(() => stall.resolve(STALL), afterMs);
      let result = await Promise.race([next, stall.promise]).finally(() => timers.clear(timer));
      if (result === STALL) {
        yield STALL;
        result = await next;
      }
      isWaiting = false;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    const leaving = source.return?.();
    // A source that is waited for answers only when it goes on.
    if (isWaiting) leaving?.catch(() => {});
    else await leaving;
  }
}
