import { setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Admission } from "../../../container/tts/admission.ts";
import { PlayoutClock } from "../../../container/tts/playout-clock.ts";
import { SLICE_MAX_SAMPLES, Utterance, type UtteranceOptions } from "../../../container/tts/utterance.ts";
import type { AudioSegment, Synthesizer } from "../../../lib/kokoro/synthesizer.ts";
import { FAILS_MIDWAY, FakeSynthesizer } from "../../helpers/fake-synthesizer.ts";

const NEVER = new AbortController().signal;
const SENTENCES = ["This is the first one.", "Here comes the second.", "And this is the last."];

function utterance(text: string, options: Partial<UtteranceOptions> = {}): Utterance {
  return new Utterance({
    text,
    voice: "af_heart",
    speed: 1,
    sampleRateHz: 24_000,
    synthesizer: new FakeSynthesizer(),
    ticket: new Admission(1, 9).enter(),
    playout: new PlayoutClock(),
    clock: { steadyMs: () => 0, wallMs: () => 0 },
    ...options,
  });
}

async function all(spoken: Utterance, signal = NEVER): Promise<Float32Array[]> {
  const slices: Float32Array[] = [];
  for await (const slice of spoken.slices(signal)) slices.push(slice);
  return slices;
}

const samplesIn = (slices: Float32Array[]) => slices.reduce((sum, slice) => sum + slice.length, 0);

describe("Utterance", () => {
  test("speaks sentence by sentence with the same voice and speed", async () => {
    const synthesizer = new FakeSynthesizer();
    await all(utterance(SENTENCES.join(" "), { synthesizer, voice: "am_adam", speed: 1.5 }));
    expect(synthesizer.requests).toMatchObject(
      SENTENCES.map((text) => ({ text, voice: "am_adam", speed: 1.5 })),
    );
  });

  test("says sentences in words of the voice's language, unless it shall not", async () => {
    const said = async (text: string, options: Partial<UtteranceOptions>) => {
      const synthesizer = new FakeSynthesizer();
      await all(utterance(text, { synthesizer, ...options }));
      return synthesizer.requests.map((request) => request.text);
    };
    const text = "**It** costs $5. |---|\n\nOk 2.";
    expect(await said(text, {})).toEqual(["It costs five dollars.", "Ok two."]);
    expect(await said("Son $5.", { voice: "ef_dora" })).toEqual(["Son cinco dólares."]);
    expect(await said(text, { normalize: false })).toEqual(["**It** costs $5.", "|---| Ok 2."]);
    expect(await said("SQL [pause:1s]", { lexicon: { SQL: "/sˈikwəl/" } })).toEqual([
      "[SQL](/sˈikwəl/) [pause:1s]",
    ]);
  });

  test("counts samples, seconds and the model's time", async () => {
    const synthesizer: Synthesizer = {
      async *synthesize() {
        yield { samples: new Float32Array(12_000), inferenceMs: 30 };
        yield { samples: new Float32Array(1), inferenceMs: 12 };
      },
      checkVoice: () => {},
      close: async () => {},
    };
    let nowMs = 100;
    const spoken = utterance("Only one.", {
      synthesizer,
      clock: { steadyMs: () => nowMs++, wallMs: () => 0 },
    });
    expect(spoken.firstAudioMs).toBeUndefined();
    expect(samplesIn(await all(spoken))).toBe(12_001);
    expect(spoken).toMatchObject({ samples: 12_001, inferenceMs: 42, audioSeconds: 12_001 / 24_000 });
    expect(spoken.firstAudioMs).toBeGreaterThanOrEqual(100);
    expect(spoken.firstAudioMs).toBeLessThan(nowMs);
  });

  test.each([8_000, 16_000, 24_000, 48_000])(
    "at %i Hz gives short slices, all of them, of one length in time",
    async (rate) => {
      const synthesizer = new FakeSynthesizer({ segmentMs: 7_000 });
      const slices = await all(utterance(SENTENCES.join(" "), { synthesizer, sampleRateHz: rate }));
      const input = SENTENCES.reduce((sum, text) => sum + synthesizer.samplesOf(text.length), 0);
      expect(samplesIn(slices)).toBe(Math.ceil((input * rate) / 24_000));
      expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(SLICE_MAX_SAMPLES);
      expect(slices.every((slice) => slice.length > 0)).toBe(true);
    },
  );

  test("gives nothing, and takes no turn, for text without a letter or digit", async () => {
    const admission = new Admission(1, 9);
    const held = await admission.enter().turn(0, NEVER);
    expect(await all(utterance("... ?!", { ticket: admission.enter() }))).toEqual([]);
    held();
  });

  test("gives its turn back after each segment, also in the middle of a sentence", async () => {
    const admission = new Admission(1, 9);
    const synthesizer = new FakeSynthesizer({ msPerAudioSecond: 1 });
    const reader = utterance(SENTENCES.join(" "), { synthesizer, ticket: admission.enter() }).slices(NEVER);
    await reader.next();
    const end = await admission.enter().turn(Number.NEGATIVE_INFINITY, NEVER);
    expect(synthesizer).toMatchObject({ running: 1, completed: 0 });
    const { segments } = synthesizer;
    const rest = (async () => {
      for await (const _ of reader);
    })();
    for (let i = 0; i < 20; i++) await nextLoop();
    expect(synthesizer.segments).toBe(segments);
    end();
    await rest;
    expect(synthesizer.requests).toHaveLength(SENTENCES.length);
  });

  test("tells the engine what its listener has in hand, over all sentences", async () => {
    const synthesizer = new FakeSynthesizer({ segmentMs: 60_000 });
    const asked: number[] = [];
    const asking: Synthesizer = {
      async *synthesize(request, signal) {
        asked.push(request.aheadMs!());
        yield* synthesizer.synthesize(request, signal);
      },
      checkVoice: () => {},
      close: async () => {},
    };
    await all(utterance(SENTENCES.join(" "), { synthesizer: asking }));
    const spokenMs = SENTENCES.map((text) => synthesizer.samplesOf(text.length) / 24);
    expect(asked).toEqual([0, spokenMs[0], spokenMs[0]! + spokenMs[1]!]);
  });

  test("does not begin the next sentence before this one is taken", async () => {
    const synthesizer = new FakeSynthesizer();
    const reader = utterance(SENTENCES.join(" "), { synthesizer }).slices(NEVER);
    await reader.next();
    for (let i = 0; i < 50; i++) await nextLoop();
    expect(synthesizer).toMatchObject({ running: 0, completed: 1 });
    expect(synthesizer.requests).toHaveLength(1);
    await reader.return(undefined);
  });

  test("holds no more than 30 s of one endless sentence ahead of a slow reader", async () => {
    let given = 0;
    let isEnded = false;
    const synthesizer: Synthesizer = {
      async *synthesize(): AsyncGenerator<AudioSegment> {
        try {
          for (;;) {
            given++;
            yield { samples: new Float32Array(24_000), inferenceMs: 1 };
          }
        } finally {
          isEnded = true;
        }
      },
      checkVoice: () => {},
      close: async () => {},
    };
    const reader = utterance("On and on.", { synthesizer }).slices(NEVER);
    await reader.next();
    for (let i = 0; i < 50; i++) await nextLoop();
    expect(given).toBeLessThanOrEqual(33);
    await reader.return(undefined);
    for (let i = 0; i < 5; i++) await nextLoop();
    expect(isEnded).toBe(true);
  });

  test("passes a failure on after the audio before it, and its turn back", async () => {
    const admission = new Admission(1, 9);
    const spoken = utterance(`${FAILS_MIDWAY} and so on and on`, { ticket: admission.enter() });
    await expect(all(spoken)).rejects.toMatchObject({ code: "SYNTHESIS_FAILED" });
    expect(spoken.samples).toBe(12_000);
    (await admission.enter().turn(0, NEVER))();
  });

  test("stops with the signal's reason: waiting for a turn, in the model, and between slices", async () => {
    const reason = new Error("gone");
    const admission = new Admission(1, 9);
    const held = await admission.enter().turn(0, NEVER);
    const waiter = new AbortController();
    const waiting = all(utterance("Hello.", { ticket: admission.enter() }), waiter.signal);
    await nextLoop();
    waiter.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    held();

    const synthesizer = new FakeSynthesizer({ msPerAudioSecond: 1e6 });
    const inModel = new AbortController();
    const speaking = all(utterance("Hello.", { synthesizer }), inModel.signal);
    await nextLoop();
    inModel.abort(reason);
    await expect(speaking).rejects.toBe(reason);
    await expect.poll(() => synthesizer.cancelled).toBe(1);

    const between = new AbortController();
    const slices = utterance("Hello there, all of you.").slices(between.signal);
    await slices.next();
    between.abort(reason);
    await expect(slices.next()).rejects.toBe(reason);
  });
});
