import { describe, expect, it } from "vitest";
import { SpeechError } from "../../../lib/errors.ts";
import { fromErrorRecord, toErrorRecord } from "../../../lib/kokoro/worker-messages.ts";

describe("errors between threads", () => {
  it("keep what a SpeechError says", () => {
    const error = new SpeechError("UNKNOWN_VOICE", "not known", { details: { nearest: ["af_sky"] } });
    const arrived = fromErrorRecord(structuredClone(toErrorRecord(error)));
    expect(arrived).toMatchObject({
      code: "UNKNOWN_VOICE",
      message: "not known",
      details: { nearest: ["af_sky"] },
    });
    expect(arrived).toBeInstanceOf(SpeechError);
    expect(arrived.cause).toBeUndefined();
  });

  it("hide what any other error says behind fixed words, and keep it as the cause", () => {
    const arrived = fromErrorRecord(structuredClone(toErrorRecord(new TypeError("spoken text"))));
    expect(arrived.code).toBe("SYNTHESIS_FAILED");
    expect(arrived.message).not.toContain("spoken text");
    expect(String(arrived.cause)).toContain("spoken text");
  });
});
