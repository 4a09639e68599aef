import { describe, expect, it } from "vitest";
import { createLog, describeError } from "../../../container/agent/log.ts";
import { SpeechError } from "../../../lib/errors.ts";

describe("createLog", () => {
  it("writes one JSON line an event", () => {
    const lines: string[] = [];
    createLog(
      (line) => lines.push(line),
      () => "2026-01-01T00:00:00.000Z",
    ).info("listening", { port: 1 });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","event":"listening","port":1}\n',
    ]);
  });
});

describe("describeError", () => {
  it("tells code and message of a SpeechError, and of its causes only names, codes and AWS ids", () => {
    const aws = Object.assign(new Error("the caller said hello"), {
      name: "ValidationException",
      $metadata: { httpStatusCode: 400, requestId: "aws-1" },
    });
    const error = new SpeechError("LANGUAGE_MODEL_FAILED", "failed", {
      cause: new Error("hello", { cause: aws }),
    });
    const told = describeError(error);
    expect(told).toMatchObject({
      error: { name: "SpeechError", code: "LANGUAGE_MODEL_FAILED", message: "failed" },
      causes: [{ name: "Error" }, { name: "ValidationException", http_status: 400, aws_request_id: "aws-1" }],
    });
    expect(JSON.stringify(told)).not.toContain("hello");
  });

  it("tells where a fault of our own came from, without the machine's path", () => {
    const { error } = describeError(new TypeError("x is not a function")) as { error: { at: string } };
    expect(error.at).toMatch(/^container\/agent\/log\.test\.ts:\d+:\d+$|log\.test\.ts/);
    expect(error.at.startsWith("/")).toBe(false);
  });

  it("takes what is no Error", () => {
    expect(describeError("text")).toEqual({ error: { name: "string" } });
  });
});
