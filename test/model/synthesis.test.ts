/** The real engine on real weights: does it speak, all of it, in every voice, and only when asked? */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { VOICES } from "../../lib/kokoro/voices.ts";
import { startWorkerSynthesizer } from "../../lib/kokoro/worker-synthesizer.ts";
import { listen, words } from "./listening.ts";
import { MODEL_DIR } from "./model-under-test.ts";

const SENTENCE = "The quick brown fox jumps over the lazy dog, near the bank of the river.";

describe.skipIf(!MODEL_DIR)("synthesis", () => {
  let synthesizer: Synthesizer;
  beforeAll(async () => {
    synthesizer = await startWorkerSynthesizer({ modelDir: MODEL_DIR! });
  });
  afterAll(() => synthesizer.close());

  it("speaks a sentence as long and as loud as speech is", async () => {
    const heard = await listen(synthesizer, SENTENCE);
    expect(heard.samples.every((sample) => Number.isFinite(sample) && Math.abs(sample) <= 1)).toBe(true);
    const wordsPerSecond = words(SENTENCE) / heard.seconds;
    expect(wordsPerSecond).toBeGreaterThan(1.5);
    expect(wordsPerSecond).toBeLessThan(4.5);
    expect(heard.rms).toBeGreaterThan(0.02);
    expect(heard.rms).toBeLessThan(0.3);
    expect(heard.peak).toBeGreaterThan(0.2);
  });

  it("is slower and faster as asked", async () => {
    const [slow, fast] = [
      await listen(synthesizer, SENTENCE, "af_heart", 0.5),
      await listen(synthesizer, SENTENCE, "af_heart", 2),
    ];
    expect(slow.seconds / fast.seconds).toBeGreaterThan(3);
    expect(slow.seconds / fast.seconds).toBeLessThan(5);
  });

  it.each(["...", "?!", "😀", " "])("makes no sound for %j", async (text) => {
    expect((await listen(synthesizer, text)).segments).toBe(0);
  });

  it.each(VOICES.map((voice) => [voice.name, voice.language]))("has the voice %s (%s)", async (name) => {
    const heard = await listen(synthesizer, "Hello.", name);
    expect(heard.seconds).toBeGreaterThan(0.4);
    expect(heard.seconds).toBeLessThan(4);
    expect(heard.rms).toBeGreaterThan(0.005);
  });

  it("keeps a pause of exact length within a text, and takes phonemes as given", async () => {
    const [apart, alone, other] = [
      await listen(synthesizer, "Yes. [pause:1500ms] No."),
      await listen(synthesizer, "[pause:1500ms]"),
      await listen(synthesizer, "[Yes](/nˈoʊ/)."),
    ];
    expect(alone.samples).toEqual(new Float32Array(36_000));
    expect(apart.seconds).toBeGreaterThan(1.5 + 0.5);
    let silent = 0;
    let longest = 0;
    for (const sample of apart.samples) {
      silent = sample === 0 ? silent + 1 : 0;
      longest = Math.max(longest, silent);
    }
    expect(longest).toBeGreaterThanOrEqual(36_000);
    expect(longest).toBeLessThan(36_000 + 240);
    expect(other.samples).toEqual((await listen(synthesizer, "No.")).samples);
  });

  it("sounds different with another voice", async () => {
    const [one, other] = [
      await listen(synthesizer, "Hello.", "af_heart"),
      await listen(synthesizer, "Hello.", "bm_george"),
    ];
    expect(Buffer.compare(Buffer.from(one.samples.buffer), Buffer.from(other.samples.buffer))).not.toBe(0);
  });

  it("speaks all of a text that is longer than the model takes at once", async () => {
    const once = await listen(synthesizer, SENTENCE);
    const text = Array.from({ length: 12 }, () => SENTENCE.replace(".", "")).join(", ");
    const all = await listen(synthesizer, text);
    expect(all.segments).toBeGreaterThan(1);
    expect(all.seconds / once.seconds).toBeGreaterThan(12 * 0.75);
    expect(all.seconds / once.seconds).toBeLessThan(12 * 1.25);
  });

  it("refuses what it cannot read, and speaks on", async () => {
    await expect(listen(synthesizer, "你好", "zf_xiaobei")).rejects.toMatchObject({
      code: "LANGUAGE_NOT_SUPPORTED",
    });
    await expect(listen(synthesizer, "Hello.", "zf_nobody")).rejects.toMatchObject({ code: "UNKNOWN_VOICE" });
    expect((await listen(synthesizer, "Hello.")).seconds).toBeGreaterThan(0.4);
  });

  it("stops at the next piece when cancelled, and is free for the next caller", async () => {
    const text = Array.from({ length: 30 }, () => SENTENCE.replace(".", "")).join(", ");
    const caller = new AbortController();
    let segments = 0;
    const call = (async () => {
      for await (const _ of synthesizer.synthesize({ text, voice: "af_heart", speed: 2 }, caller.signal)) {
        segments++;
        caller.abort();
      }
    })();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(segments).toBe(1);
    expect((await listen(synthesizer, "Hello.")).seconds).toBeGreaterThan(0.4);
  });

  it("keeps the event loop free while it computes", async () => {
    const call = listen(synthesizer, SENTENCE);
    const late: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      late.push(performance.now() - start - 20);
    }
    await call;
    late.sort((a, b) => a - b);
    expect(late[10]).toBeLessThan(20);
  });

  it("says the same request alike each time", async () => {
    const [one, two] = [await listen(synthesizer, "Hello there."), await listen(synthesizer, "Hello there.")];
    // The excitation has noise of its own; length and level are fixed by the text.
    expect(one.samples.length).toBe(two.samples.length);
    expect(Math.abs(one.rms - two.rms)).toBeLessThan(0.01);
  });

  it("fails with WEIGHTS_UNAVAILABLE where there is no model", async () => {
    await expect(startWorkerSynthesizer({ modelDir: "/nowhere", workers: 1 })).rejects.toMatchObject({
      code: "WEIGHTS_UNAVAILABLE",
    });
  });
});
