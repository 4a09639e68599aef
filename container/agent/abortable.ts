/**
 * Leaves an async iterable the moment a signal fires, however long its next value takes. Without it a turn would
 * wait for the source to notice the same signal by itself.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // One listener for the whole loop: Promise.race with a long-lived promise would keep every step's reactions.
  let rejectStep: (reason: unknown) => void = () => {};
  const onAbort = () => rejectStep(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectStep = reject;
        iterator.next().then(resolve, reject);
      });
      if (step.done) {
        ended = true;
        return;
      }
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a generator answers `return` only after the step that runs, which may be what hangs.
    if (!ended) iterator.return?.()?.catch(() => {});
  }
}
