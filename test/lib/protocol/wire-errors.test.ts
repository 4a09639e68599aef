import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_KINDS, type ErrorCode, SpeechError } from "../../../lib/errors.ts";
import {
  fromWireError,
  INTERNAL_MESSAGE,
  toErrorBody,
  toWireError,
} from "../../../lib/protocol/wire-errors.ts";
import { protocolFixture, protocolFixtures } from "../../helpers/protocol-fixtures.ts";

const CODES = Object.keys(ERROR_KINDS) as ErrorCode[];
const SECRET = "/home/someone/.aws/credentials: the text she asked to be spoken";

describe("toWireError", () => {
  it.each(CODES)("tells code, message and retry of %s", (code) => {
    const wire = toWireError(new SpeechError(code, "what was wrong"));
    expect(wire.code).toBe(code);
    expect(wire.message).toMatch(/what was wrong$/);
    expect(wire.retryable).toBe(ERROR_KINDS[code].retryable);
  });

  it.each([
    ["an Error", new Error(SECRET)],
    [
      "a TypeError with a cause",
      new TypeError(SECRET, { cause: new SpeechError("INVALID_REQUEST", SECRET) }),
    ],
    ["an AbortError", new DOMException(SECRET, "AbortError")],
    ["a string", SECRET],
    ["an object that looks like one of ours", { code: "INVALID_REQUEST", message: SECRET, retryable: true }],
    ["an AggregateError", new AggregateError([new SpeechError("THROTTLED", SECRET)], SECRET)],
    ["undefined", undefined],
    ["null", null],
  ])("never lets the message of %s cross", (_name, thrown) => {
    const wire = toWireError(thrown);
    expect(wire).toEqual({ code: "INTERNAL", message: INTERNAL_MESSAGE, retryable: false });
  });

  it("lets nothing cross that was not named: no cause, no details, no stack", () => {
    const error = new SpeechError("SYNTHESIS_FAILED", "the engine failed", {
      cause: new Error(SECRET),
      details: { sentence: SECRET },
    });
    for (const made of [toWireError(error), toErrorBody(error, "r1")]) {
      expect(JSON.stringify(made)).not.toContain(SECRET);
      expect(JSON.stringify(made)).not.toContain(".ts:");
    }
    expect(Object.keys(toWireError(error)).sort()).toEqual(["code", "message", "retryable"]);
  });

  it("holds for whatever is thrown", () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(toWireError(thrown).message).toBe(INTERNAL_MESSAGE);
      }),
    );
  });

  it("heads the message with the bare token that old clients classify by, once", () => {
    const wire = toWireError(new SpeechError("QUEUE_SATURATED", "8 requests wait already"));
    expect(wire.message).toBe("queue_saturated: 8 requests wait already");
    expect(toWireError(fromWireError(wire)).message).toBe(wire.message);
    expect(toWireError(new SpeechError("REQUEST_STALE", "sent 61 s ago")).message).toBe(
      "request_stale: sent 61 s ago",
    );
    expect(toWireError(new SpeechError("THROTTLED", "slow down")).message).toBe("slow down");
  });

  it("tells a retry that was decided for this very error", () => {
    expect(toWireError(new SpeechError("TRANSPORT_FAILED", "m", { retryable: false })).retryable).toBe(false);
  });
});

describe("toErrorBody", () => {
  it("names the request when there is one", () => {
    const error = new SpeechError("TEXT_TOO_LONG", "too long");
    const wire = { code: "TEXT_TOO_LONG", message: "too long", retryable: false };
    expect(toErrorBody(error, "r1")).toEqual({ error: { ...wire, request_id: "r1" } });
    expect(toErrorBody(error)).toEqual({ error: wire });
  });
});

describe("fromWireError", () => {
  const EXPECTED: Record<string, { code: ErrorCode; retryable: boolean }> = {
    synthesis: { code: "TEXT_TOO_LONG", retryable: false },
    "synthesis-code-of-a-newer-peer": { code: "SYNTHESIS_FAILED", retryable: false },
    "synthesis-message-only": { code: "SYNTHESIS_FAILED", retryable: false },
    "synthesis-without-id": { code: "SYNTHESIS_FAILED", retryable: false },
    "synthesis-queue-saturated": { code: "QUEUE_SATURATED", retryable: true },
    "synthesis-request-stale": { code: "REQUEST_STALE", retryable: true },
    agent: { code: "TRANSPORT_FAILED", retryable: false },
    "agent-message-only": { code: "SYNTHESIS_FAILED", retryable: false },
    "invocation-event": { code: "SYNTHESIS_FAILED", retryable: false },
  };
  const fixtures = protocolFixtures("error").filter(({ value }) => value.type === "error");

  it("has an expectation for every fixture", () => {
    expect(fixtures.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(fixtures)("$name", ({ name, value }) => {
    const error = fromWireError(value);
    expect({ code: error.code, retryable: error.retryable }).toEqual(EXPECTED[name]);
    expect(error.message).toBe(value.message);
  });

  it.each(CODES)("gives back %s as it was sent", (code) => {
    const sent = new SpeechError(code, "what was wrong", { retryable: !ERROR_KINDS[code].retryable });
    const read = fromWireError(toWireError(sent));
    expect(read.code).toBe(code);
    expect(read.retryable).toBe(sent.retryable);
  });

  it.each([[{}], [{ message: "" }], [{ message: 7, code: 7, retryable: "yes" }], [{ code: "toString" }]])(
    "takes any peer's nonsense: %j",
    (wire) => {
      const error = fromWireError(wire);
      expect(error.code).toBe("SYNTHESIS_FAILED");
      expect(error.message).toBe("the peer gave no reason");
      expect(error.retryable).toBe(false);
    },
  );

  it("reads the body of an HTTP answer", () => {
    const { error } = protocolFixture("error", "invocation-body").value as { error: Record<string, unknown> };
    expect(fromWireError(error)).toMatchObject({ code: "QUEUE_SATURATED", retryable: true });
  });
});
