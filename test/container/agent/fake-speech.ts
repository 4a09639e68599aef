/** A speaker for tests: a sentence becomes as many samples as it has characters, when the test lets it. */
import type { Speech, SpokenAnswer, TurnRequest } from "../../../container/agent/turn.ts";

export interface FakeSpeechOptions {
  /** Awaited before a sentence's audio comes. */
  readonly beforeAudio?: (sentence: number) => Promise<void>;
  /** Thrown in place of this sentence's audio. */
  readonly failAt?: { readonly sentence: number; readonly error: Error };
  /** Awaited in `say`, as a transport that is full. */
  readonly beforeTaken?: (sentence: number) => Promise<void>;
  /** Pieces that each sentence's audio comes in. */
  readonly pieces?: number;
}

export class FakeSpeech implements Speech {
  readonly answers: FakeAnswerSpoken[] = [];
  readonly whole: string[] = [];
  readonly #options: FakeSpeechOptions;

  constructor(options: FakeSpeechOptions = {}) {
    this.#options = options;
  }

  open(request: TurnRequest): FakeAnswerSpoken {
    const answer = new FakeAnswerSpoken(request, this.#options);
    this.answers.push(answer);
    return answer;
  }

  async speakWhole(text: string, _request: TurnRequest, signal: AbortSignal): Promise<Uint8Array> {
    this.whole.push(text);
    await this.#options.beforeAudio?.(1);
    signal.throwIfAborted();
    if (this.#options.failAt) throw this.#options.failAt.error;
    return new Uint8Array(text.length * 2);
  }
}

export class FakeAnswerSpoken implements SpokenAnswer {
  readonly request: TurnRequest;
  readonly said: string[] = [];
  destroyed: Error | undefined;
  finished = false;
  ended = false;
  readonly #options: FakeSpeechOptions;
  #wake = Promise.withResolvers<void>();

  constructor(request: TurnRequest, options: FakeSpeechOptions) {
    this.request = request;
    this.#options = options;
  }

  async say(sentence: string): Promise<void> {
    if (this.destroyed) throw this.destroyed;
    this.said.push(sentence);
    this.#wakeUp();
    await this.#unlessDestroyed(this.#options.beforeTaken?.(this.said.length));
  }

  async finish(): Promise<void> {
    this.finished = true;
    this.#wakeUp();
  }

  destroy(reason: Error): void {
    this.destroyed ??= reason;
    this.#wakeUp();
  }

  get audio(): AsyncIterable<Uint8Array> {
    return this.#audio();
  }

  async *#audio(): AsyncGenerator<Uint8Array> {
    const { beforeAudio, failAt, pieces = 1 } = this.#options;
    for (let spoken = 0; ; spoken++) {
      while (!this.destroyed && spoken === this.said.length && !this.finished) await this.#wake.promise;
      if (this.destroyed) throw this.destroyed;
      if (spoken === this.said.length) break;
      await this.#unlessDestroyed(beforeAudio?.(spoken + 1));
      if (failAt?.sentence === spoken + 1) throw failAt.error;
      for (let piece = 0; piece < pieces; piece++) yield new Uint8Array(this.said[spoken]!.length * 2);
    }
    this.ended = true;
  }

  async #unlessDestroyed(wait: Promise<void> | undefined): Promise<void> {
    let waiting = wait !== undefined;
    void wait?.then(() => {
      waiting = false;
      this.#wakeUp();
    });
    while (waiting && !this.destroyed) await this.#wake.promise;
    if (this.destroyed) throw this.destroyed;
  }

  #wakeUp(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
