import { describe, expect, test } from "vitest";
import { CANCELLED, type Job, SessionInbox, type SpeakJob } from "../../../container/tts/session-inbox.ts";
import { SpeechError } from "../../../lib/errors.ts";

function speak(requestId: string, text = "Hello."): SpeakJob {
  return { kind: "speak", requestId, message: { text }, controller: new AbortController() };
}
const refuse = (requestId: string): Job => ({
  kind: "refuse",
  requestId,
  error: new SpeechError("INVALID_REQUEST", "no"),
});
const gone = new SpeechError("TRANSPORT_FAILED", "gone");

async function drain(inbox: SessionInbox): Promise<string[]> {
  inbox.close();
  const kinds: string[] = [];
  for (let job = await inbox.next(); job; job = await inbox.next())
    kinds.push(`${job.kind} ${job.requestId}`);
  return kinds;
}

describe("SessionInbox", () => {
  test("gives jobs in the order they came, of every kind", async () => {
    const inbox = new SessionInbox(100);
    for (const job of [speak("1"), refuse("2"), speak("3")]) inbox.add(job);
    expect(await drain(inbox)).toEqual(["speak 1", "refuse 2", "speak 3"]);
  });

  test("waits for the next, and takes no more once closed", async () => {
    const inbox = new SessionInbox(100);
    const next = inbox.next();
    inbox.add(speak("1"));
    expect(await next).toMatchObject({ requestId: "1" });
    const last = inbox.next();
    inbox.close();
    inbox.add(speak("2"));
    expect(await last).toBeUndefined();
  });

  test("is full by the text that waits, not by what is being spoken", async () => {
    const inbox = new SessionInbox(10);
    inbox.add(speak("1", "x".repeat(9)));
    expect(inbox.isFull).toBe(false);
    inbox.add(speak("2", "x"));
    expect(inbox.isFull).toBe(true);
    await inbox.next();
    expect(inbox.isFull).toBe(false);
  });

  test("is full by the number of messages, refused ones too", () => {
    const inbox = new SessionInbox(1_000_000);
    let count = 0;
    while (!inbox.isFull && count < 10_000) inbox.add(refuse(String(count++)));
    expect(count).toBe(256);
  });

  test("cancel aborts what is spoken and answers all that waits in its place", async () => {
    const inbox = new SessionInbox(100);
    const current = speak("1");
    for (const job of [current, speak("2"), refuse("3"), speak("4")]) inbox.add(job);
    await inbox.next();
    inbox.cancel(undefined);
    inbox.add(speak("5"));
    expect(current.controller.signal.reason).toBe(CANCELLED);
    expect(await drain(inbox)).toEqual(["cancelled 2", "refuse 3", "cancelled 4", "speak 5"]);
  });

  test("cancel with an id means only that message", async () => {
    const inbox = new SessionInbox(100);
    const current = speak("1");
    for (const job of [current, speak("2"), speak("3")]) inbox.add(job);
    await inbox.next();
    inbox.cancel("2");
    expect(current.controller.signal.aborted).toBe(false);
    expect(await drain(inbox)).toEqual(["cancelled 2", "speak 3"]);
  });

  test("cancel that meets nothing is answered itself, with its id", async () => {
    const inbox = new SessionInbox(100);
    inbox.cancel("9");
    inbox.cancel(undefined);
    expect(await drain(inbox)).toEqual(["cancelled 9", "cancelled "]);
  });

  test("cancel does not reach what is already finished", async () => {
    const inbox = new SessionInbox(100);
    const done = speak("1");
    inbox.add(done);
    await inbox.next();
    void inbox.next();
    inbox.cancel(undefined);
    expect(done.controller.signal.aborted).toBe(false);
  });

  test("room is free again for text that was cancelled", () => {
    const inbox = new SessionInbox(10);
    inbox.add(speak("1", "x".repeat(10)));
    expect(inbox.isFull).toBe(true);
    inbox.cancel(undefined);
    expect(inbox.isFull).toBe(false);
  });

  test("abandon drops all and stops what is spoken, with the reason", async () => {
    const inbox = new SessionInbox(100);
    const current = speak("1");
    inbox.add(current);
    inbox.add(speak("2"));
    await inbox.next();
    inbox.abandon(gone);
    expect(current.controller.signal.reason).toBe(gone);
    expect(await drain(inbox)).toEqual([]);
  });
});
