import { describe, expect, it, vi } from "vitest";
import { runBidiTurn } from "../../../container/agent/bidi-turn.ts";
import type { TurnRequest } from "../../../container/agent/turn.ts";
import { SpeechError } from "../../../lib/errors.ts";
import { FakeSpeech } from "./fake-speech.ts";
import { deltasOf, runOver, shorthand } from "./turn-over-fakes.ts";

const never = new Promise<never>(() => {});

describe("runBidiTurn", () => {
  it("opens the speaker before the first word is written", async () => {
    const speech = new FakeSpeech();
    const first = Promise.withResolvers<void>();
    const run = runOver(runBidiTurn, speech, deltasOf(first.promise, "Hi there. "));
    expect(speech.answers).toHaveLength(1);
    first.resolve();
    await run;
  });

  it("sends audio of the first sentence before the last word is written", async () => {
    const heard = Promise.withResolvers<void>();
    const speech = new FakeSpeech({
      beforeAudio: async (sentence) => {
        if (sentence === 2) heard.resolve();
      },
    });
    // The rest is written only once the first sentence has been heard and the second is begun.
    const run = runOver(
      runBidiTurn,
      speech,
      deltasOf("One is ", "here. Two is here. ", "Three ", heard.promise, "is here."),
    );
    const { events, failure } = await run;
    expect(failure).toBeUndefined();
    expect(speech.answers[0]?.said).toEqual(["One is here.", "Two is here.", "Three is here."]);
    const order = shorthand(events);
    expect(order.indexOf("audio:12")).toBeGreaterThan(-1);
    expect(order.indexOf("audio:12")).toBeLessThan(order.indexOf("text:is here."));
    expect(order.filter((kind) => kind === "audio_stream_start")).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: "audio_stream_end", total_chunks: 3, duration_s: 0.002 });
  });

  it("numbers text and audio from 0 without a gap", async () => {
    const { events } = await runOver(
      runBidiTurn,
      new FakeSpeech({ pieces: 3 }),
      deltasOf("One is here. ", "Two is here. "),
    );
    const seqOf = (type: string) =>
      events.flatMap((event) => (event.type === type && "seq" in event ? event.seq : []));
    expect(seqOf("text_delta")).toEqual([0, 1]);
    expect(seqOf("audio_chunk")).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("says the answer in words of the voice's language, with the caller's lexicon", async () => {
    const said = async (request: Partial<TurnRequest>) => {
      const speech = new FakeSpeech();
      await runOver(runBidiTurn, speech, deltasOf("**SQL** costs $", "5. [pause:1s] Ok"), { request });
      return speech.answers[0]?.said;
    };
    expect(await said({})).toEqual(["S.Q.L. costs five dollars.", "[pause:1s] Ok"]);
    expect(await said({ wording: { lexicon: { SQL: "sequel" } } })).toEqual([
      "sequel costs five dollars.",
      "[pause:1s] Ok",
    ]);
    expect(await said({ voice: "ef_dora" })).toEqual(["SQL costs cinco dólares.", "[pause:1s] Ok"]);
    expect(await said({ wording: { normalize: false } })).toEqual(["**SQL** costs $5.", "[pause:1s] Ok"]);
  });

  it("says a clause early when it shall: at the begin of an answer, and while the model pauses", async () => {
    const text = ["When the rain began, ", "the children ran home, ", "and slept."];
    const hurried = new FakeSpeech();
    await runOver(runBidiTurn, hurried, deltasOf(...text), { haste: { firstPieceChars: 20, stallMs: 0 } });
    expect(hurried.answers[0]?.said).toEqual(["When the rain began,", "the children ran home, and slept."]);

    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const paused = new FakeSpeech();
      const pause = Promise.withResolvers<void>();
      const run = runOver(runBidiTurn, paused, deltasOf(text[0]!, text[1]!, pause.promise, text[2]!), {
        haste: { firstPieceChars: 0, stallMs: 500 },
      });
      await vi.advanceTimersByTimeAsync(600);
      expect(paused.answers[0]?.said).toEqual(["When the rain began, the children ran home,"]);
      pause.resolve();
      await vi.advanceTimersByTimeAsync(1);
      await run;
      expect(paused.answers[0]?.said).toEqual(["When the rain began, the children ran home,", "and slept."]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("says nothing, and ends whole, for an answer that cannot be heard", async () => {
    const speech = new FakeSpeech();
    const { events } = await runOver(runBidiTurn, speech, deltasOf("  \n", "*** ---"));
    expect(speech.answers[0]?.said).toEqual([]);
    expect(speech.answers[0]?.ended).toBe(true);
    expect(shorthand(events).slice(-2)).toEqual(["audio_stream_start", "audio_stream_end"]);
  });

  it("stops the model when the speaker fails, after what was queued", async () => {
    const error = new SpeechError(
      "TRANSPORT_FAILED",
      "the stream ended before sentence 2 of this turn was complete",
    );
    const speech = new FakeSpeech({ failAt: { sentence: 2, error } });
    let stopped = false;
    const { events, failure } = await runOver(
      (turn, output, signal) =>
        runBidiTurn(
          {
            ...turn,
            textDeltas: async function* (stop) {
              yield "One is here. Two is here. ";
              await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }));
              stopped = true;
              stop.throwIfAborted();
            },
          },
          output,
          signal,
        ),
      speech,
      deltasOf(),
    );
    expect(stopped).toBe(true);
    expect(failure).toBe(error);
    expect(shorthand(events)).toEqual(["text:One is here. Two is here. ", "audio_stream_start", "audio:12"]);
  });

  it("destroys the speaker when the model fails", async () => {
    const error = new SpeechError("LANGUAGE_MODEL_FAILED", "no answer");
    const speech = new FakeSpeech({ beforeAudio: () => never });
    const failing = async function* () {
      yield "One is here. Two ";
      throw error;
    };
    const { failure } = await runOver(runBidiTurn, speech, failing());
    expect(failure).toBe(error);
    expect(speech.answers[0]?.destroyed).toBe(error);
  });

  it("destroys the speaker at once when the caller leaves, also while it takes a sentence", async () => {
    const leave = new AbortController();
    const speech = new FakeSpeech({
      beforeTaken: () => {
        setImmediate(() => leave.abort(new Error("left")));
        return never;
      },
    });
    const { failure } = await runOver(runBidiTurn, speech, deltasOf("One is here. Two"), {
      signal: leave.signal,
    });
    expect(failure).toBe(leave.signal.reason);
    expect(speech.answers[0]?.destroyed).toBe(leave.signal.reason);
  });

  it("speaks words, not markup", async () => {
    const speech = new FakeSpeech();
    await runOver(runBidiTurn, speech, deltasOf("It is **very** good. ", "🎉\n\n", "Yes."));
    expect(speech.answers[0]?.said).toEqual(["It is very good.", "Yes."]);
  });
});
