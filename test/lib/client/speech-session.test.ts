import { describe, expect, it } from "vitest";
import { SpeechSession, type SpeechSessionOptions } from "../../../lib/client/speech-session.ts";
import type { SpeechEvent } from "../../../lib/client/utterance-ledger.ts";
import { SpeechError } from "../../../lib/errors.ts";
import { duplexPair, type FarEnd } from "../../helpers/duplex-pair.ts";

function open(options: SpeechSessionOptions = {}) {
  const { transport, far } = duplexPair();
  let count = 0;
  const session = new SpeechSession(transport, {
    newRequestId: () => `id-${++count}`,
    nowSeconds: () => 1_700_000_000,
    closeTimeoutMs: 50,
    ...options,
  });
  return { session, far };
}

function speakInto(far: FarEnd, requestId: string, ...audio: Uint8Array[]): void {
  far.json({ type: "synthesis_start", request_id: requestId });
  for (const bytes of audio) far.audio(bytes);
  far.json({ type: "synthesis_complete", request_id: requestId, total_duration_s: 0.5, elapsed_s: 0.25 });
}

/** Events until the iteration ends or throws. */
async function drain(session: SpeechSession): Promise<{ events: SpeechEvent[]; thrown: unknown }> {
  const events: SpeechEvent[] = [];
  try {
    for await (const event of session) events.push(event);
    return { events, thrown: undefined };
  } catch (thrown) {
    return { events, thrown };
  }
}

const PCM = new Uint8Array([1, 2, 3, 4]);

describe("SpeechSession", () => {
  it("speaks sentences in order and ends after the last one", async () => {
    const { session, far } = open({ utterance: { voice: "af_heart", speed: 1.1 } });
    expect(await session.speak("One.")).toBe("id-1");
    await session.speak("Two.", { voice: "am_adam", sampleRateHz: 16_000 });
    session.finish();
    speakInto(far, "id-1", PCM);
    speakInto(far, "id-2", PCM, PCM);
    const { events, thrown } = await drain(session);
    expect(thrown).toBeUndefined();
    expect(events.map((event) => [event.type, event.sentence])).toEqual([
      ["utterance-start", 1],
      ["audio", 1],
      ["utterance-complete", 1],
      ["utterance-start", 2],
      ["audio", 2],
      ["audio", 2],
      ["utterance-complete", 2],
    ]);
    expect(events[2]).toMatchObject({ requestId: "id-1", durationSeconds: 0.5, elapsedMs: 250 });
    far.end();
    await session.closed;
    expect(far.received).toEqual([
      { text: "One.", voice: "af_heart", speed: 1.1, request_id: "id-1", request_timestamp: 1_700_000_000 },
      {
        text: "Two.",
        voice: "am_adam",
        speed: 1.1,
        sample_rate: 16_000,
        request_id: "id-2",
        request_timestamp: 1_700_000_000,
      },
      { type: "close" },
    ]);
    expect(far.inputEnded).toBe(true);
    expect(far.destroyedWith).toBeUndefined();
  });

  it("ends when finish() comes after the last sentence was spoken, while the iteration waits", async () => {
    const { session, far } = open();
    await session.speak("One.");
    speakInto(far, "id-1", PCM);
    const events: SpeechEvent[] = [];
    for await (const event of session) {
      events.push(event);
      if (event.type === "utterance-complete") setTimeout(() => session.finish(), 5);
    }
    expect(events).toHaveLength(3);
  });

  it("sends close only after the last sentence is complete", async () => {
    const { session, far } = open();
    await session.speak("One.");
    session.finish();
    far.json({ type: "synthesis_start", request_id: "id-1" });
    const reading = drain(session);
    await new Promise((resolve) => setImmediate(resolve));
    expect(far.received).toHaveLength(1);
    far.json({ type: "synthesis_complete", request_id: "id-1", total_duration_s: 0, elapsed_s: 0 });
    await reading;
    await far.receivedCount(2);
    expect(far.received[1]).toEqual({ type: "close" });
  });

  it("ends at once without a sentence", async () => {
    const { session } = open();
    session.finish();
    expect(await drain(session)).toEqual({ events: [], thrown: undefined });
  });

  it("destroys a connection that does not close after the last sentence", async () => {
    const { session, far } = open();
    session.finish();
    await drain(session);
    await session.closed;
    expect(far.destroyedWith).toMatchObject({ code: "TRANSPORT_FAILED" });
  });

  it("pulls audio only as fast as it is read", async () => {
    const { session, far } = open();
    await session.speak("One.");
    speakInto(far, "id-1", ...Array.from({ length: 100 }, () => PCM));
    const events = session[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(far.pulledCount).toBe(2);
    await events.return();
  });

  it("holds speak() back while the transport has no room", async () => {
    const { session, far } = open();
    far.holdSends(true);
    let taken = false;
    const speaking = session.speak("One.").then(() => {
      taken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBe(false);
    far.holdSends(false);
    await speaking;
    expect(taken).toBe(true);
    session.cancel();
  });

  it("lives on after a sentence that failed", async () => {
    const { session, far } = open();
    await session.speak("One.");
    await session.speak("Two.");
    session.finish();
    far.json({ type: "error", request_id: "id-1", message: "no such voice", code: "UNKNOWN_VOICE" });
    speakInto(far, "id-2", PCM);
    const { events, thrown } = await drain(session);
    expect(thrown).toBeUndefined();
    expect(events.map((event) => event.type)).toEqual([
      "utterance-failed",
      "utterance-start",
      "audio",
      "utterance-complete",
    ]);
    expect(events[0]).toMatchObject({ error: { code: "UNKNOWN_VOICE", retryable: false }, sentence: 1 });
  });

  it("fails when the stream ends before a sentence is complete, and names it by number", async () => {
    const { session, far } = open();
    await session.speak("A secret.");
    await session.speak("Another secret.");
    speakInto(far, "id-1", PCM);
    far.json({ type: "synthesis_start", request_id: "id-2" });
    far.end();
    const { thrown } = await drain(session);
    expect(thrown).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: "the stream ended before sentence 2 of this turn was complete",
      retryable: false,
      details: { sentence: 2, audioSeen: true },
    });
    await expect(session.speak("More.")).rejects.toBe(thrown);
  });

  it("fails when the stream ends while the turn is open", async () => {
    const { session, far } = open();
    far.end();
    expect((await drain(session)).thrown).toMatchObject({ code: "TRANSPORT_FAILED", retryable: true });
  });

  it("adds the sentence to a transport's failure, retryable only before the first audio", async () => {
    const failure = new SpeechError("THROTTLED", "slow down");
    const before = open();
    await before.session.speak("One.");
    before.far.fail(failure);
    expect((await drain(before.session)).thrown).toMatchObject({
      code: "THROTTLED",
      message: "slow down (at sentence 1 of this turn)",
      retryable: true,
      cause: failure,
    });
    const after = open();
    await after.session.speak("One.");
    after.far.json({ type: "synthesis_start", request_id: "id-1" });
    after.far.audio(PCM);
    after.far.fail(failure);
    expect((await drain(after.session)).thrown).toMatchObject({ code: "THROTTLED", retryable: false });
  });

  it("throws the signal's reason, before and while it speaks", async () => {
    const early = AbortSignal.abort(new Error("not today"));
    const { session, far } = open({ signal: early });
    expect((await drain(session)).thrown).toBe(early.reason);
    await expect(session.speak("One.")).rejects.toBe(early.reason);
    expect(far.destroyedWith).toBe(early.reason);

    const controller = new AbortController();
    const late = open({ signal: controller.signal });
    await late.session.speak("One.");
    late.far.json({ type: "synthesis_start", request_id: "id-1" });
    const reading = drain(late.session);
    setTimeout(() => controller.abort(), 5);
    const { thrown } = await reading;
    expect(thrown).toBe(controller.signal.reason);
    expect(late.far.destroyedWith).toBe(controller.signal.reason);
  });

  it("ends the iteration on cancel(), and refuses more sentences", async () => {
    const { session, far } = open();
    await session.speak("One.");
    const reading = drain(session);
    setTimeout(() => session.cancel(), 5);
    expect(await reading).toEqual({ events: [], thrown: undefined });
    expect(far.destroyedWith).toMatchObject({ name: "AbortError" });
    await session.closed;
    await expect(session.speak("Two.")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("rejects a speak() that waits for room when it is cancelled", async () => {
    const { session, far } = open();
    far.holdSends(true);
    const speaking = session.speak("One.");
    session.cancel();
    await expect(speaking).rejects.toMatchObject({ name: "AbortError" });
  });

  it("cancels when its reader leaves", async () => {
    const { session, far } = open();
    await session.speak("One.");
    far.json({ type: "synthesis_start", request_id: "id-1" });
    for await (const _event of session) break;
    expect(far.destroyedWith).toMatchObject({ name: "AbortError" });
  });

  it("fails on a broken order, and the connection is dropped", async () => {
    const { session, far } = open();
    await session.speak("One.");
    far.json({ type: "synthesis_start", request_id: "other" });
    expect((await drain(session)).thrown).toMatchObject({ code: "PROTOCOL_VIOLATION" });
    expect(far.destroyedWith).toMatchObject({ code: "PROTOCOL_VIOLATION" });
  });

  it("refuses to be iterated twice", async () => {
    const { session } = open();
    session.finish();
    await drain(session);
    expect((await drain(session)).thrown).toMatchObject({ code: "INTERNAL" });
  });
});
