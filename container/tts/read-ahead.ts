/**
 * Reads a source ahead of its reader, up to a bound. It lets a sentence be computed to its end, and its turn be passed on,
 * while a slow reader still takes its first part; memory stays bounded by `aheadMax` and one item.
 */

export interface ReadAheadOptions<T> {
  readonly sizeOf: (item: T) => number;
  /** The source is not asked for more while so much lies unread. */
  readonly aheadMax: number;
  /** Ends the reading at once, also while the source is busy; the source ends in its own time. */
  readonly signal: AbortSignal;
}

/** @throws what the source threw, after the items before it; or the signal's reason. */
export async function* readAhead<T>(
  source: AsyncIterable<T>,
  { sizeOf, aheadMax, signal }: ReadAheadOptions<T>,
): AsyncGenerator<T> {
  const items: T[] = [];
  const changed = new Bell();
  let unread = 0;
  let isLeft = false;
  let end: { failure?: unknown } | undefined;

  const pump = async () => {
    for await (const item of source) {
      if (isLeft) return; // ends the source too
      items.push(item);
      unread += sizeOf(item);
      changed.ring();
      while (unread > aheadMax && !isLeft) await changed.wait();
      if (isLeft) return;
    }
  };
  const ring = () => changed.ring();
  signal.addEventListener("abort", ring);
  pump().then(
    () => {
      end = {};
      ring();
    },
    (failure: unknown) => {
      end = { failure };
      ring();
    },
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      const item = items.shift();
      if (item !== undefined) {
        unread -= sizeOf(item);
        ring();
        yield item;
      } else if (end !== undefined) {
        if ("failure" in end) throw end.failure;
        return;
      } else await changed.wait();
    }
  } finally {
    isLeft = true;
    signal.removeEventListener("abort", ring);
    ring();
  }
}

/** Wakes all who wait. */
class Bell {
  #waiters: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  ring(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
