import { describe, expect, test } from "vitest";
import { createLog, errorFields } from "../../../container/tts/log.ts";
import { SpeechError } from "../../../lib/errors.ts";

test("a line is JSON with level, time and event first, and one line whatever it holds", () => {
  const lines: string[] = [];
  createLog(
    (line) => lines.push(line),
    () => 0,
  )("warn", "thing", { request_id: "a\nb" });
  expect(lines).toEqual([
    '{"level":"warn","time":"1970-01-01T00:00:00.000Z","event":"thing","request_id":"a\\nb"}',
  ]);
});

describe("errorFields", () => {
  test("tells our own words, and of other errors only their name, code and place", () => {
    const cause = Object.assign(new TypeError("quotes the secret"), { code: "ECONNRESET" });
    const fields = errorFields(new SpeechError("SYNTHESIS_FAILED", "the model failed", { cause }));
    expect(fields).toEqual({
      code: "SYNTHESIS_FAILED",
      message: "the model failed",
      causes: [
        { name: "TypeError", system_code: "ECONNRESET", at: expect.stringMatching(/^log\.test\.ts:\d+$/) },
      ],
    });
  });

  test("finds the place though the message looks like a stack", () => {
    const error = new Error("words\n    at secret.ts:1:1 and more\nwords");
    expect(errorFields(error).at).toMatch(/^log\.test\.ts:\d+$/);
    expect(JSON.stringify(errorFields(error))).not.toContain("secret");
  });

  test("takes anything thrown, and ends on causes in a circle", () => {
    expect(errorFields("secret")).toEqual({ name: "string" });
    const error = new Error("a");
    error.cause = error;
    expect(errorFields(error).causes).toHaveLength(3);
  });
});
