import { describe, expect, test } from "vitest";
import { PlayoutClock } from "../../../container/tts/playout-clock.ts";
import { countChars, SpeechService } from "../../../container/tts/speech-service.ts";
import { FakeSynthesizer } from "../../helpers/fake-synthesizer.ts";

const NOW_MS = 1_800_000_000_000;

function service(isReady = true): SpeechService {
  const made = new SpeechService({
    textMaxChars: 20,
    turnsAtOnce: 1,
    queueMax: 1,
    clock: { steadyMs: () => 0, wallMs: () => NOW_MS },
    log: () => {},
  });
  if (isReady) made.becomeReady(new FakeSynthesizer());
  return made;
}
const failure = (code: string) => expect.objectContaining({ code });

describe("SpeechService", () => {
  test("takes nothing before the model is loaded, and nothing new while it shuts down", () => {
    const made = service(false);
    expect(() => made.checkReady()).toThrow(failure("MODEL_NOT_READY"));
    expect(() => made.check({ text: "Hi." })).toThrow(failure("MODEL_NOT_READY"));
    made.becomeReady(new FakeSynthesizer());
    made.checkReady();
    made.beginClosing();
    expect(() => made.checkReady()).toThrow(failure("MODEL_NOT_READY"));
    // What was taken before is still spoken.
    made.check({ text: "Hi." });
    made.utterance({ text: "Hi." }, made.admission.enter(), new PlayoutClock());
  });

  test("refuses text beyond the limit, counted in characters, and unknown voices", () => {
    const made = service();
    made.check({ text: "\u{1f600}".repeat(20) });
    expect(() => made.check({ text: "x".repeat(21) })).toThrow(failure("TEXT_TOO_LONG"));
    expect(() => made.check({ text: "\u{1f600}".repeat(21) })).toThrow(failure("TEXT_TOO_LONG"));
    made.check({ text: "Hi.", voice: "am_adam" });
    expect(() => made.check({ text: "Hi.", voice: "nobody" })).toThrow(failure("UNKNOWN_VOICE"));
  });

  test.each([
    ["none", undefined],
    ["of now", NOW_MS / 1000],
    ["of 56 s ago", NOW_MS / 1000 - 56],
    ["of 56 s ago in milliseconds", NOW_MS - 56_000],
    ["of a clock that runs ahead", NOW_MS / 1000 + 1_000],
  ])("takes a stamp %s", (_, stamp) => {
    service().checkFresh(stamp);
  });

  test.each([
    ["seconds", NOW_MS / 1000 - 56.1],
    ["milliseconds", NOW_MS - 56_100],
    ["the beginning of time", 1],
  ])("refuses a stale stamp in %s", (_, stamp) => {
    expect(() => service().checkFresh(stamp)).toThrow(failure("REQUEST_STALE"));
  });
});

test("countChars counts code points", () => {
  expect(countChars("")).toBe(0);
  expect(countChars("aé\u{1f600}")).toBe(3);
});
