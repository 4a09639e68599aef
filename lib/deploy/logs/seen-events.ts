/** Which log events were shown already, as far back as an event may come late. */
import type { FilteredLogEvent } from "@aws-sdk/client-cloudwatch-logs";

/** CloudWatch shows a line some seconds after its time: that far back is looked again. */
const LATE_MS = 10_000;

export class SeenEvents {
  readonly #timesById = new Map<string, number>();
  readonly #sinceMs: number;
  #lastMs: number;

  /** @param sinceMs milliseconds since 1970. */
  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
    this.#lastMs = sinceMs;
  }

  /** From where to ask again. */
  get fromMs(): number {
    return Math.max(this.#sinceMs, this.#lastMs - LATE_MS);
  }

  /** @returns those that are new. */
  take(events: readonly FilteredLogEvent[]): FilteredLogEvent[] {
    const fresh = events.filter(({ eventId = "" }) => !this.#timesById.has(eventId));
    for (const { eventId = "", timestamp = 0 } of fresh) {
      this.#timesById.set(eventId, timestamp);
      this.#lastMs = Math.max(this.#lastMs, timestamp);
    }
    for (const [id, timeMs] of this.#timesById) {
      if (timeMs < this.fromMs) this.#timesById.delete(id);
    }
    return fresh;
  }
}
