/**
 * One bounded queue between a turn's producers (text, audio) and its caller's socket. What arrives first leaves
 * first, whichever producer it came from; a full queue makes both wait, so that a slow caller slows the language
 * model and the speaker down instead of filling memory. It holds at most `capacity` plus one item a producer.
 */
import { SpeechError } from "../../lib/errors.ts";

export interface EventQueueOptions {
  readonly capacity: number;
  /** A reader that waits this long for the next item gets DEADLINE_EXCEEDED: a peer hangs without closing. */
  readonly starvedAfterMs: number;
}

export class EventQueue<T> implements AsyncIterable<T> {
  readonly #options: EventQueueOptions;
  readonly #items: T[] = [];
  /** Producers that wait for room. */
  #waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  #wakeReader: (() => void) | undefined;
  #end: { readonly reason: unknown } | undefined;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /** Appends at once, whatever the room: then await `room()` before the next. After the end it does nothing. */
  put(item: T): void {
    if (this.#end) return;
    this.#items.push(item);
    this.#wakeReader?.();
  }

  /** Resolves when the queue is not over its capacity; rejects with the reason when it was failed or abandoned. */
  async room(): Promise<void> {
    if (this.#end) throw this.#end.reason ?? new Error("the event queue has ended");
    if (this.#items.length <= this.#options.capacity) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  /** No more items; those queued are still delivered. */
  end(): void {
    this.#finish(undefined);
  }

  /** Those queued are still delivered, then the reader gets `reason`. The first call of end, fail or abandon counts. */
  fail(reason: unknown): void {
    this.#finish(reason);
  }

  /** Nobody reads any more: what is queued is dropped, producers that wait get `reason`. */
  abandon(reason: unknown): void {
    this.#items.length = 0;
    this.#end = { reason };
    this.#release(reason);
  }

  /** For one reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#items.length > 0) {
        const item = this.#items.shift() as T;
        if (this.#items.length <= this.#options.capacity) this.#release(undefined);
        yield item;
      }
      if (this.#end) {
        if (this.#end.reason !== undefined) throw this.#end.reason;
        return;
      }
      await this.#nextItem();
    }
  }

  #finish(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    this.#release(reason);
  }

  #release(reason: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const producer of waiting) reason === undefined ? producer.resolve() : producer.reject(reason);
    this.#wakeReader?.();
  }

  async #nextItem(): Promise<void> {
    const { starvedAfterMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new SpeechError(
            "DEADLINE_EXCEEDED",
            `neither text nor audio came for ${starvedAfterMs / 1000} s; ask again, and see whether the language model and the speech endpoint answer`,
          ),
        );
      }, starvedAfterMs);
      this.#wakeReader = () => {
        clearTimeout(timer);
        this.#wakeReader = undefined;
        resolve();
      };
    });
  }
}
