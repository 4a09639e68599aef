/**
 * Who may speak, and when. Two steps. An utterance enters as a whole or is refused at once, so that nobody waits in a line
 * too long to be served. Inside, it takes a turn for every window, never for a whole sentence: a long text keeps a new
 * caller from its first word by one window at most.
 *
 * Turns go to the earliest deadline (the moment a listener runs dry, playout-clock.ts), then to who came first. It is
 * fair, since deadlines are moments in time: whoever waits is sooner or later the earliest of all.
 */
import { SpeechError } from "../../lib/errors.ts";

export interface Ticket {
  /**
   * Waits for a turn.
   * @param deadlineMs on any one clock that all callers share.
   * @param signal gives up waiting and rejects with its reason.
   * @returns ends the turn; calling it again does nothing.
   */
  turn(deadlineMs: number, signal: AbortSignal): Promise<() => void>;
  /** Leaves the house. A turn still held is ended by its own function. */
  leave(): void;
}

interface Waiter {
  readonly deadlineMs: number;
  readonly start: () => void;
}

export class Admission {
  readonly #insideMax: number;
  readonly #waiting: Waiter[] = [];
  #freeTurns: number;
  #inside = 0;

  /**
   * @param turnsAtOnce windows computed at the same time, as many as the engine has workers.
   * @param waitingMax utterances that may be inside beyond those.
   */
  constructor(turnsAtOnce: number, waitingMax: number) {
    this.#freeTurns = turnsAtOnce;
    this.#insideMax = turnsAtOnce + waitingMax;
  }

  /** Utterances inside, speaking or waiting. */
  get inside(): number {
    return this.#inside;
  }

  /** @throws {SpeechError} QUEUE_SATURATED */
  enter(): Ticket {
    if (this.#inside >= this.#insideMax) {
      throw new SpeechError(
        "QUEUE_SATURATED",
        `${this.#inside} utterances are being spoken or wait, which is the limit; try again soon`,
      );
    }
    this.#inside++;
    let isInside = true;
    return {
      turn: (deadlineMs, signal) => this.#turn(deadlineMs, signal),
      leave: () => {
        if (isInside) this.#inside--;
        isInside = false;
      },
    };
  }

  async #turn(deadlineMs: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#freeTurns > 0) this.#freeTurns--;
    else await this.#wait(deadlineMs, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#endTurn();
      isHeld = false;
    };
  }

  #wait(deadlineMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        deadlineMs,
        start: () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      // The line is short (its limit is a setting), so a sorted array does.
      const behind = this.#waiting.findIndex((other) => other.deadlineMs > deadlineMs);
      this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, waiter);
    });
  }

  /** The turn passes straight to the next in line, so that no newcomer slips in between. */
  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next) next.start();
    else this.#freeTurns++;
  }
}
