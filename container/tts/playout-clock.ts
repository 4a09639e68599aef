/**
 * When a listener runs dry: it plays what it got since its first audio came. The moment is the deadline of its next
 * sentence. Whoever hears nothing yet is due now; whoever has ten seconds in hand can let others go first.
 */
export class PlayoutClock {
  #dryMs = Number.NEGATIVE_INFINITY;

  /** Deadline of what is computed next. */
  deadlineMs(nowMs: number): number {
    return Math.max(nowMs, this.#dryMs);
  }

  /** Counts audio that just left. */
  played(audioMs: number, nowMs: number): void {
    this.#dryMs = this.deadlineMs(nowMs) + audioMs;
  }
}
