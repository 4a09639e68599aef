/**
 * When a listener runs dry: it plays what it got since its first audio came. The moment is the deadline of its next
 * window. Whoever has ten seconds in hand can let others go first.
 */

/**
 * Who hears nothing yet goes before who would hear a gap, by this much: longer than any window takes, so that a busy
 * engine answers a newcomer after the window that runs; no longer, so that newcomers cannot starve who began.
 */
const BEGINNING_AHEAD_MS = 2_000;

export class PlayoutClock {
  #dryMs = Number.NEGATIVE_INFINITY;
  #isSilent = true;

  /** A text is to be spoken: if all before it was heard, its listener waits in silence from now on. */
  begin(nowMs: number): void {
    if (this.#dryMs > nowMs) return;
    this.#dryMs = nowMs;
    this.#isSilent = true;
  }

  /** Deadline of what is computed next; in the past for who is overdue. */
  deadlineMs(): number {
    return this.#isSilent ? this.#dryMs - BEGINNING_AHEAD_MS : this.#dryMs;
  }

  /** Audio that the listener has and did not play yet. */
  aheadMs(nowMs: number): number {
    return this.#isSilent ? 0 : Math.max(0, this.#dryMs - nowMs);
  }

  /** Counts audio that was just computed. */
  played(audioMs: number, nowMs: number): void {
    this.#dryMs = Math.max(nowMs, this.#dryMs) + audioMs;
    this.#isSilent = false;
  }
}
