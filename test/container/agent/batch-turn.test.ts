import { describe, expect, it } from "vitest";
import { runBatchStreamTurn, runBatchTurn } from "../../../container/agent/batch-turn.ts";
import { AUDIO_CHUNK_MAX_BYTES } from "../../../container/agent/turn-output.ts";
import { SpeechError } from "../../../lib/errors.ts";
import { FakeSpeech } from "./fake-speech.ts";
import { deltasOf, runOver, shorthand } from "./turn-over-fakes.ts";

const never = new Promise<never>(() => {});

describe("runBatchTurn", () => {
  it("speaks once, unstreamed, after the last word", async () => {
    const speech = new FakeSpeech();
    const { events } = await runOver(runBatchTurn, speech, deltasOf("One is ", "here. Two ", "is **here**."));
    expect(speech.answers).toEqual([]);
    expect(speech.whole).toEqual(["One is here.\n\nTwo is here."]);
    expect(shorthand(events)).toEqual([
      "text:One is ",
      "text:here. Two ",
      "text:is **here**.",
      "audio_stream_start",
      "audio:26",
      "audio_stream_end",
    ]);
  });

  it("cuts the one body into chunks of the common size", async () => {
    const words = `${"word ".repeat(4_000)}end.`;
    const { events } = await runOver(runBatchTurn, new FakeSpeech(), deltasOf(words));
    const sizes = events.flatMap((event) => (event.type === "audio_chunk" ? event.pcm.length : []));
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.slice(0, -1).every((size) => size === AUDIO_CHUNK_MAX_BYTES)).toBe(true);
    expect(events.at(-1)).toMatchObject({ total_chunks: sizes.length });
  });

  it("does not call the speaker for an answer that cannot be heard", async () => {
    const speech = new FakeSpeech();
    const { events } = await runOver(runBatchTurn, speech, deltasOf(" … "));
    expect(speech.whole).toEqual([]);
    expect(events.at(-1)).toEqual({ type: "audio_stream_end", total_chunks: 0, duration_s: 0 });
  });

  it("fails with the speaker's error", async () => {
    const error = new SpeechError("QUEUE_SATURATED", "queue full");
    const { failure } = await runOver(
      runBatchTurn,
      new FakeSpeech({ failAt: { sentence: 1, error } }),
      deltasOf("Hi."),
    );
    expect(failure).toBe(error);
  });
});

describe("runBatchStreamTurn", () => {
  it("opens the stream at once but speaks only after the last word, as one message", async () => {
    const speech = new FakeSpeech({ pieces: 2 });
    const { events } = await runOver(runBatchStreamTurn, speech, deltasOf("One is here. ", "Two is here."));
    expect(speech.answers[0]?.said).toEqual(["One is here.\n\nTwo is here."]);
    expect(shorthand(events)).toEqual([
      "text:One is here. ",
      "text:Two is here.",
      "audio_stream_start",
      "audio:26",
      "audio:26",
      "audio_stream_end",
    ]);
  });

  it("leaves no stream open after an answer that cannot be heard", async () => {
    const speech = new FakeSpeech();
    await runOver(runBatchStreamTurn, speech, deltasOf("…"));
    expect(speech.answers[0]).toMatchObject({ said: [], finished: true, ended: true });
  });

  it("stops the model when the stream fails before the answer is written", async () => {
    const leave = new AbortController();
    const speech = new FakeSpeech();
    const run = runOver(runBatchStreamTurn, speech, deltasOf("One. ", never), { signal: leave.signal });
    setImmediate(() => leave.abort(new Error("left")));
    // The fake deltas do not see the signal: only the speaker's end is asserted.
    await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 20))]);
    expect(speech.answers[0]?.destroyed).toBe(leave.signal.reason);
  });
});
