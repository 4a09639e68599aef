import { describe, expect, test } from "vitest";
import { readTtsSettings } from "../../../lib/config/tts-settings.ts";

const defaults = { port: 8080, textMaxChars: 10_000 };

describe("readTtsSettings", () => {
  test("stays on loopback and leaves the engine its choice when nothing is set", () => {
    expect(readTtsSettings({}, defaults)).toEqual({
      host: "127.0.0.1",
      port: 8080,
      workers: undefined,
      threadsPerWorker: undefined,
      device: "cpu",
      deviceFallback: undefined,
      queueMax: 32,
      textMaxChars: 10_000,
    });
  });

  test("reads every variable", () => {
    const env = {
      HOST: "0.0.0.0",
      PORT: "0",
      SPEECH_WORKERS: "2",
      SPEECH_THREADS: "4",
      KOKORO_DEVICE: "cuda",
      KOKORO_DEVICE_FALLBACK: "cpu",
      SPEECH_QUEUE_MAX: "0",
      SPEECH_TEXT_MAX_CHARS: "200",
    };
    expect(readTtsSettings(env, defaults)).toEqual({
      host: "0.0.0.0",
      port: 0,
      workers: 2,
      threadsPerWorker: 4,
      device: "cuda",
      deviceFallback: "cpu",
      queueMax: 0,
      textMaxChars: 200,
    });
  });

  test("takes an empty variable for an absent one", () => {
    const env = { HOST: "", PORT: "", SPEECH_WORKERS: "", SPEECH_QUEUE_MAX: "" };
    expect(readTtsSettings(env, defaults)).toEqual(readTtsSettings({}, defaults));
  });

  test.each([
    ["PORT", "65536"],
    ["PORT", "http"],
    ["SPEECH_WORKERS", "0"],
    ["SPEECH_WORKERS", "1.5"],
    ["SPEECH_THREADS", "-1"],
    ["SPEECH_QUEUE_MAX", "-1"],
    ["SPEECH_TEXT_MAX_CHARS", "0"],
  ])("fails on %s=%s and names it", (name, value) => {
    expect(() => readTtsSettings({ [name]: value }, defaults)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION", message: expect.stringContaining(name) }),
    );
  });
});
