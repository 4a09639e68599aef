import { describe, expect, it } from "vitest";
import { SessionAnswer } from "../../../container/agent/speech.ts";
import type { SpeechTransport } from "../../../lib/client/transport.ts";
import { collect, REQUEST } from "./turn-over-fakes.ts";

/** A container behind a transport: `answers` says what comes back for each message. */
class FakeTransport implements SpeechTransport {
  readonly sent: Record<string, unknown>[] = [];
  destroyed: Error | undefined;
  ended = false;
  readonly #answer: (message: Record<string, unknown>) => (string | Uint8Array)[];
  readonly #queue: Uint8Array[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(answer: (message: Record<string, unknown>) => (string | Uint8Array)[]) {
    this.#answer = answer;
  }

  async send(text: string): Promise<void> {
    const message = JSON.parse(text) as Record<string, unknown>;
    this.sent.push(message);
    this.#queue.push(
      ...this.#answer(message).map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
    );
    this.#wakeUp();
  }

  async end(): Promise<void> {
    this.ended = true;
    this.#wakeUp();
  }

  destroy(reason: Error): void {
    this.destroyed = reason;
    this.#wakeUp();
  }

  readonly parts: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => this.#parts(),
  };

  async *#parts(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.destroyed) throw this.destroyed;
      const part = this.#queue.shift();
      if (part) yield part;
      else if (this.ended) return;
      else await this.#wake.promise;
    }
  }

  #wakeUp(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

const spoken = ({ request_id, text }: Record<string, unknown>) => [
  JSON.stringify({ type: "synthesis_start", request_id }),
  new Uint8Array(String(text).length * 2),
  JSON.stringify({ type: "synthesis_complete", request_id, total_duration_s: 1, elapsed_s: 0.1 }),
];

describe("SessionAnswer", () => {
  it("numbers its sentences in the ids that the container sees", async () => {
    const transport = new FakeTransport((message) => (message.type === "close" ? [] : spoken(message)));
    const answer = new SessionAnswer(transport, { ...REQUEST, voice: "bf_emma", speed: 1.5 });
    await answer.say("One is here.");
    await answer.say("Two.");
    await answer.finish();
    const parts = await collect(answer.audio);
    expect(parts.map((part) => part.length)).toEqual([24, 8]);
    expect(transport.sent).toMatchObject([
      { text: "One is here.", voice: "bf_emma", speed: 1.5, normalize: false, request_id: "r1.1" },
      { text: "Two.", normalize: false, request_id: "r1.2" },
      { type: "close" },
    ]);
  });

  it("closes a stream on which nothing was said", async () => {
    const transport = new FakeTransport(() => []);
    const answer = new SessionAnswer(transport, REQUEST);
    await answer.finish();
    expect(await collect(answer.audio)).toEqual([]);
    await expect.poll(() => transport.ended).toBe(true);
    expect(transport.sent).toEqual([{ type: "close" }]);
  });

  it("fails at a sentence that was not spoken, names it, and leaves", async () => {
    const transport = new FakeTransport((message) =>
      message.request_id === "r1.2"
        ? [JSON.stringify({ type: "error", request_id: "r1.2", message: "no", code: "SYNTHESIS_FAILED" })]
        : spoken(message),
    );
    const answer = new SessionAnswer(transport, REQUEST);
    for (const sentence of ["One.", "Two.", "Three."]) await answer.say(sentence);
    await expect(collect(answer.audio)).rejects.toMatchObject({
      code: "SYNTHESIS_FAILED",
      message: "sentence 2 of this turn was not spoken: no",
      details: { sentence: 2 },
    });
    expect(transport.destroyed).toBeDefined();
  });

  it("is destroyed with the reason given, also while it waits", async () => {
    const transport = new FakeTransport(() => []);
    const answer = new SessionAnswer(transport, REQUEST);
    await answer.say("One.");
    const audio = collect(answer.audio);
    const reason = new Error("left");
    answer.destroy(reason);
    await expect(audio).rejects.toBe(reason);
    expect(transport.destroyed).toBe(reason);
    await expect(answer.say("Two.")).rejects.toBe(reason);
  });
});
