/**
 * Two tasks of one turn that live and die together: when one fails, the other is stopped and waited for, and
 * the first failure is the one that counts (the other's is usually just its echo).
 */

/**
 * @param signal stops both from outside.
 * @throws what the first task to fail threw; `signal`'s reason when that came first.
 */
export async function runTogether(
  signal: AbortSignal,
  ...tasks: readonly ((stop: AbortSignal) => Promise<void>)[]
): Promise<void> {
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        await task(stop);
      } catch (error) {
        failure.abort(error);
        throw error;
      }
    }),
  );
  // The signal's reason is the failure when it fired first: both tasks then fail with echoes of it.
  stop.throwIfAborted();
}
