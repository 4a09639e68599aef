/** A language model for tests, in Strands' own interface: it says what it is told to, and notes what became of it. */
import {
  type BaseModelConfig,
  type Message,
  Model,
  type ModelStreamEvent,
  type StreamOptions,
} from "@strands-agents/sdk";

export interface FakeAnswer {
  readonly deltas?: readonly string[];
  /** Thrown after the deltas. */
  readonly error?: Error;
  /** Awaited before each delta; a promise that never settles hangs the model. */
  readonly pace?: (index: number) => Promise<void>;
}

export class FakeModel extends Model<BaseModelConfig> {
  /** The conversation as each call got it: "user: hi". */
  readonly calls: string[][] = [];
  cancelled = 0;
  readonly #answers: FakeAnswer[];

  /** Answers in order; the last one is repeated. */
  constructor(...answers: FakeAnswer[]) {
    super();
    this.#answers = answers;
  }

  updateConfig(): void {}
  getConfig(): BaseModelConfig {
    return { modelId: "fake" };
  }

  async *stream(messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    this.calls.push(messages.map((message) => `${message.role}: ${textOf(message)}`));
    options?.cancelSignal?.addEventListener("abort", () => this.cancelled++, { once: true });
    const answer = this.#answers.length > 1 ? this.#answers.shift()! : this.#answers[0]!;
    yield { type: "modelMessageStartEvent", role: "assistant" };
    yield { type: "modelContentBlockStartEvent" };
    for (const [index, text] of (answer.deltas ?? []).entries()) {
      await answer.pace?.(index);
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text } };
    }
    if (answer.error) throw answer.error;
    yield { type: "modelContentBlockStopEvent" };
    yield { type: "modelMessageStopEvent", stopReason: "endTurn" };
  }
}

function textOf(message: Message): string {
  return message.content.map((block) => (block.type === "textBlock" ? block.text : block.type)).join("");
}
