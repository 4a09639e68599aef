/**
 * One turn of speech over one connection: sentences in as they are finished, audio out in their order. Sentences are
 * pipelined: the next is sent while one is being spoken. Audio is pulled: nothing is read from the transport but
 * when the caller asks for the next event, so a slow listener slows the container down and memory stays flat.
 *
 *   open --finish()--> finishing --last sentence settled--> closed
 *   open | finishing --cancel()--> cancelled            (iteration ends)
 *   open | finishing --fault or signal--> failed        (iteration throws)
 */
import { randomUUID } from "node:crypto";
import { isAbortError, isSpeechError, SpeechError } from "../errors.ts";
import { encodeMessage, type SpeakMessage } from "../protocol/messages.ts";
import type { Lexicon } from "../text/lexicon.ts";
import type { SpeechTransport } from "./transport.ts";
import { type SpeechEvent, UtteranceLedger } from "./utterance-ledger.ts";

export interface Utterance {
  /** Name of a voice. @default the container's */
  readonly voice?: string;
  /** 0.5-2.0, 1 = natural. @default the container's */
  readonly speed?: number;
  /** 8,000, 16,000, 24,000 or 48,000. @default 24,000 */
  readonly sampleRateHz?: SpeakMessage["sample_rate"];
  /** false: the text is in words already, and the container says it as it is. @default true */
  readonly normalize?: boolean;
  /** What is written -> what is said. */
  readonly lexicon?: Lexicon;
}

export interface SpeechSessionOptions {
  /** For every sentence of the turn; `speak` may override. */
  readonly utterance?: Utterance;
  /** Aborting ends both ways at once; the iteration throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long the container may take to close after the last sentence. @default 5000 */
  readonly closeTimeoutMs?: number;
  /** @default random UUIDs */
  readonly newRequestId?: () => string;
  /** Wall clock in seconds since 1970, by which the container refuses what waited too long. */
  readonly nowSeconds?: () => number;
}

type SessionState = "open" | "finishing" | "closed" | "cancelled" | "failed";

const CLOSE_TIMEOUT_MS_DEFAULT = 5_000;

/**
 * @example
 * const session = new SpeechSession(connectSageMaker({ endpoint, credentials }));
 * void speakAll(session); // speak() for each sentence, then finish()
 * for await (const event of session) if (event.type === "audio") play(event.bytes);
 */
export class SpeechSession implements AsyncIterable<SpeechEvent> {
  /** Resolves when the connection is gone, however it went. Never rejects. */
  readonly closed: Promise<void>;
  readonly #transport: SpeechTransport;
  readonly #options: SpeechSessionOptions;
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #ledger = new UtteranceLedger();
  readonly #gone = Promise.withResolvers<void>();
  #state: SessionState = "open";
  #failure: unknown;
  /** A read that was begun and not yet used; a wake-up may come before it. */
  #reading: Promise<IteratorResult<Uint8Array>> | undefined;
  /** Wakes an iteration that waits for a part when the state changes under it. */
  #wake = Promise.withResolvers<undefined>();
  #iterated = false;

  constructor(transport: SpeechTransport, options: SpeechSessionOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#parts = transport.parts[Symbol.asyncIterator]();
    this.closed = this.#gone.promise;
    if (options.signal?.aborted) this.#onAbort();
    else options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * Asks for one sentence; calls keep their order. Resolves with the request id once the transport took it, which
   * may wait for a slow peer: then somebody must be iterating.
   * @throws {SpeechError} the transport's, or INVALID_REQUEST after finish() or cancel().
   */
  async speak(text: string, utterance: Utterance = {}): Promise<string> {
    if (this.#state === "failed") throw this.#failure;
    if (this.#state !== "open") {
      throw new SpeechError("INVALID_REQUEST", `speak() was called when the session was ${this.#state}`);
    }
    const requestId = (this.#options.newRequestId ?? randomUUID)();
    const { voice, speed, sampleRateHz, normalize, lexicon } = { ...this.#options.utterance, ...utterance };
    const sentence = this.#ledger.ask(requestId);
    const message: SpeakMessage = {
      text,
      ...(voice !== undefined && { voice }),
      ...(speed !== undefined && { speed }),
      ...(sampleRateHz !== undefined && { sample_rate: sampleRateHz }),
      ...(normalize !== undefined && { normalize }),
      ...(lexicon !== undefined && { lexicon }),
      request_id: requestId,
      request_timestamp: (this.#options.nowSeconds ?? systemSeconds)(),
    };
    try {
      await this.#transport.send(encodeMessage(message));
    } catch (cause) {
      this.#fail(this.#explain(cause, sentence));
      throw this.#failure;
    }
    return requestId;
  }

  /** No more sentences. The iteration ends after the last one; then the container is told to close. */
  finish(): void {
    if (this.#state !== "open") return;
    this.#state = "finishing";
    this.#wake.resolve(undefined);
  }

  /** Stops the turn at once (barge-in): the container sees the caller leave and stops its work. */
  cancel(): void {
    if (this.#state !== "open" && this.#state !== "finishing") return;
    this.#leave("cancelled", new DOMException("the speech session was cancelled", "AbortError"));
  }

  /** Iterate once. Leaving early cancels. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SpeechEvent, void, undefined> {
    if (this.#iterated) throw new SpeechError("INTERNAL", "a speech session can be iterated only once");
    this.#iterated = true;
    try {
      while (true) {
        const part = await this.#nextPart();
        if (part === undefined) break;
        const event = this.#take(part);
        if (event) yield event;
      }
    } finally {
      this.cancel();
    }
  }

  /** undefined when the turn is over, well or by cancel(). */
  async #nextPart(): Promise<Uint8Array | undefined> {
    while (true) {
      if (this.#state === "failed") throw this.#failure;
      if (this.#state === "finishing" && this.#ledger.isEmpty) this.#close();
      if (this.#state === "closed" || this.#state === "cancelled") return undefined;
      this.#reading ??= this.#parts.next();
      // A fresh promise for each wait: one kept for the whole turn would hold on to every race, and so to every part.
      this.#wake = Promise.withResolvers<undefined>();
      let read: IteratorResult<Uint8Array> | undefined;
      try {
        read = await Promise.race([this.#reading, this.#wake.promise]);
      } catch (cause) {
        this.#fail(this.#explain(cause, this.#ledger.oldestSentence));
        continue;
      }
      if (read === undefined) continue;
      this.#reading = undefined;
      if (!read.done) return read.value;
      this.#fail(this.#explain(endedEarly(this.#ledger.oldestSentence), this.#ledger.oldestSentence));
    }
  }

  #take(part: Uint8Array): SpeechEvent | undefined {
    try {
      return this.#ledger.take(part);
    } catch (cause) {
      this.#fail(this.#explain(cause, this.#ledger.oldestSentence));
      throw this.#failure;
    }
  }

  /** All was spoken. The farewell goes on behind the caller's back, and may not hold it up. */
  #close(): void {
    this.#state = "closed";
    this.#dropSignal();
    void this.#farewell().finally(() => this.#gone.resolve());
  }

  async #farewell(): Promise<void> {
    const timer = setTimeout(() => {
      this.#transport.destroy(new SpeechError("TRANSPORT_FAILED", "the container did not close in time"));
    }, this.#options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS_DEFAULT);
    try {
      await this.#transport.send(encodeMessage({ type: "close" }));
      // The input half is closed only now, when all output is in: SageMaker may cut the output short otherwise.
      await this.#transport.end();
      let read = await (this.#reading ?? this.#parts.next());
      while (!read.done) read = await this.#parts.next();
    } catch {
      // Every sentence was spoken: how the connection ends changes nothing for the caller.
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #onAbort = (): void => this.#leave("failed", this.#options.signal?.reason);

  #fail(reason: unknown): void {
    if (this.#state === "open" || this.#state === "finishing") this.#leave("failed", reason);
  }

  #leave(state: "failed" | "cancelled", reason: unknown): void {
    this.#state = state;
    this.#failure = reason;
    this.#dropSignal();
    this.#transport.destroy(reason instanceof Error ? reason : new DOMException("aborted", "AbortError"));
    this.#reading?.catch(() => {});
    this.#gone.resolve();
    this.#wake.resolve(undefined);
  }

  #dropSignal(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Adds which sentence was hit, and that after the first audio nobody may simply try again. */
  #explain(cause: unknown, sentence: number | undefined): unknown {
    if (this.#options.signal?.aborted) return this.#options.signal.reason;
    if (isAbortError(cause)) return cause;
    const error = isSpeechError(cause)
      ? cause
      : new SpeechError("TRANSPORT_FAILED", "the connection to the container failed", { cause });
    const { audioSeen } = this.#ledger;
    const where =
      sentence === undefined || /\bsentence \d/.test(error.message)
        ? ""
        : ` (at sentence ${sentence} of this turn)`;
    return new SpeechError(error.code, `${error.message}${where}`, {
      cause: error,
      retryable: error.retryable && !audioSeen,
      details: { ...error.details, ...(sentence !== undefined && { sentence }), audioSeen },
    });
  }
}

function endedEarly(sentence: number | undefined): SpeechError {
  return new SpeechError(
    "TRANSPORT_FAILED",
    sentence === undefined
      ? "the container ended the stream while the turn was still open"
      : `the stream ended before sentence ${sentence} of this turn was complete`,
  );
}

function systemSeconds(): number {
  return Date.now() / 1_000;
}
