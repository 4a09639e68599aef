import { describe, expect, it } from "vitest";
import { PAUSE_MAX_MS, readSpeechMarks, withoutSpeechMarks } from "../../../lib/text/speech-marks.ts";

describe("readSpeechMarks", () => {
  it("parts a text at its pauses and pronunciations", () => {
    expect(readSpeechMarks("Hi [pause:500ms][Kokoro](/kˈOkəɹO/)!")).toEqual([
      { kind: "text", text: "Hi " },
      { kind: "pause", pauseMs: 500 },
      { kind: "phonemes", word: "Kokoro", phonemes: "kˈOkəɹO" },
      { kind: "text", text: "!" },
    ]);
  });

  it("reads seconds, and cuts what is too long", () => {
    expect(readSpeechMarks("[pause:1.5s]")).toEqual([{ kind: "pause", pauseMs: 1500 }]);
    expect(readSpeechMarks("[pause:60s]")).toEqual([{ kind: "pause", pauseMs: PAUSE_MAX_MS }]);
  });

  it.each([
    "[pause]",
    "[pause:fast]",
    "[pause:-5ms]",
    "[a](https://b.example/c)",
    "[a](/b",
    "[](/b/)",
    "[a] (/b/)",
  ])("takes %s for text", (text) => {
    expect(readSpeechMarks(text)).toEqual([{ kind: "text", text }]);
  });

  it("reads a long run of brackets in one pass", () => {
    const text = "[".repeat(50_000);
    expect(readSpeechMarks(text)).toEqual([{ kind: "text", text }]);
  });
});

describe("withoutSpeechMarks", () => {
  it("leaves the words", () => {
    expect(withoutSpeechMarks("Hi [pause:5s][Kokoro](/kˈOkəɹO/)!")).toBe("Hi Kokoro!");
  });
});
