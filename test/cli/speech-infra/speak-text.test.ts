import { setImmediate as turnOfLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { speakText } from "../../../cli/speech-infra/speak-text.ts";
import { SpeechSession } from "../../../lib/client/speech-session.ts";
import type { SpeechTransport } from "../../../lib/client/transport.ts";
import { SpeechError } from "../../../lib/errors.ts";

/** A container in memory: answers each sentence with one second of audio, in order. */
class MemoryContainer implements SpeechTransport {
  readonly texts: string[] = [];
  /** Most sentences sent and not yet answered. */
  mostAhead = 0;
  answered = 0;
  readonly #fails: (text: string) => boolean;
  readonly #queue: { text: string; id: string }[] = [];
  #closed = false;
  #broken: Error | undefined;

  constructor(fails: (text: string) => boolean = () => false) {
    this.#fails = fails;
  }

  async send(json: string): Promise<void> {
    const message = JSON.parse(json) as { type?: string; text: string; request_id: string };
    if (message.type === "close") {
      this.#closed = true;
      return;
    }
    this.texts.push(message.text);
    this.#queue.push({ text: message.text, id: message.request_id });
    this.mostAhead = Math.max(this.mostAhead, this.#queue.length);
  }

  readonly parts = this.#answers();

  async *#answers(): AsyncGenerator<Uint8Array> {
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    while (!this.#closed || this.#queue.length > 0) {
      if (this.#broken) throw this.#broken;
      const next = this.#queue[0];
      await turnOfLoop();
      if (!next) continue;
      const request_id = next.id;
      if (this.#fails(next.text)) {
        yield json({ type: "error", request_id, message: "cannot say it", code: "SYNTHESIS_FAILED" });
      } else {
        yield json({ type: "synthesis_start", request_id });
        yield new Uint8Array(48_000);
        yield json({ type: "synthesis_complete", request_id, total_duration_s: 1, elapsed_s: 0.4 });
      }
      this.#queue.shift();
      this.answered++;
    }
  }

  async end(): Promise<void> {}

  destroy(reason: Error): void {
    this.#broken = reason;
  }
}

async function* fragmentsOf(...fragments: string[]): AsyncGenerator<string> {
  for (const fragment of fragments) {
    await turnOfLoop();
    yield fragment;
  }
}

const speak = (container: MemoryContainer, fragments: AsyncIterable<string>, taken: number[] = []) =>
  speakText({
    fragments,
    session: new SpeechSession(container),
    onAudio: async (pcm) => void taken.push(pcm.byteLength),
  });

describe("speakText", () => {
  it("sends sentence by sentence, cleaned of markdown, and adds up what came", async () => {
    const container = new MemoryContainer();
    const taken: number[] = [];
    const spoken = await speak(container, fragmentsOf("One **bold** wo", "rd. Two! Th", "ree"), taken);
    expect(container.texts).toEqual(["One bold word.", "Two!", "Three"]);
    expect(spoken).toMatchObject({ audioSeconds: 3, sentences: 3 });
    expect(spoken.synthesisSeconds).toBeCloseTo(1.2);
    expect(spoken.firstAudioMs).toBeGreaterThanOrEqual(0);
    expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(3 * 48_000);
  });

  it("stays a few sentences ahead of what is spoken, however long the text", async () => {
    const container = new MemoryContainer();
    const spoken = await speak(container, fragmentsOf("A sentence goes here. ".repeat(300)));
    expect(spoken.sentences).toBe(300);
    expect(container.mostAhead).toBeGreaterThan(1);
    expect(container.mostAhead).toBeLessThanOrEqual(5);
  });

  it("leaves out pieces without a letter or digit", async () => {
    const container = new MemoryContainer();
    expect((await speak(container, fragmentsOf("Hello.\n\n***\n\n...\n\nThere."))).sentences).toBe(2);
  });

  it("fails with the sentence that could not be spoken, and sends no more", async () => {
    const container = new MemoryContainer((text) => text.startsWith("Bad"));
    const spoken = speak(container, fragmentsOf("Good one here. Bad one here. ", "More of it. ".repeat(100)));
    await expect(spoken).rejects.toMatchObject({
      code: "SYNTHESIS_FAILED",
      message: "sentence 2 was not spoken: cannot say it",
    });
    expect(container.texts.length).toBeLessThan(10);
  });

  it("fails with the source's own error when the text breaks off", async () => {
    const failure = new SpeechError("INVALID_REQUEST", "standard input is not UTF-8 text");
    async function* broken() {
      yield "One sentence. And a second one.";
      throw failure;
    }
    await expect(speak(new MemoryContainer(), broken())).rejects.toBe(failure);
  });

  it("ends the source when the listener's disk is full", async () => {
    let released = false;
    async function* source() {
      try {
        for (;;) yield "Another sentence. ";
      } finally {
        released = true;
      }
    }
    const full = new SpeechError("CONFIGURATION", "the disk is full");
    const spoken = speakText({
      fragments: source(),
      session: new SpeechSession(new MemoryContainer()),
      onAudio: () => Promise.reject(full),
    });
    await expect(spoken).rejects.toBe(full);
    expect(released).toBe(true);
  });
});
