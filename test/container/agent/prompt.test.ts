import { describe, expect, it } from "vitest";
import {
  parseJson,
  readRequestId,
  readRuntimeSessionId,
  readTurnRequest,
} from "../../../container/agent/prompt.ts";

const SETTINGS = { requestId: "r1", endpointName: "speech-kokoro-82m" };
type RequestContext = Parameters<typeof readRequestId>[0];
const contextOf = (fields: Partial<RequestContext>) => fields as RequestContext;

describe("readTurnRequest", () => {
  it("fills in what the caller left open", () => {
    expect(readTurnRequest({ prompt: " hi " }, SETTINGS)).toEqual({
      requestId: "r1",
      mode: "bidi",
      prompt: "hi",
      voice: "af_heart",
      speed: 1,
      wording: { normalize: undefined, lexicon: undefined },
      endpointName: "speech-kokoro-82m",
    });
  });

  it("takes what the caller chose", () => {
    const payload = { prompt: "hi", mode: "batch", voice: "bf_emma", speed: 1.2, endpoint: "mine" };
    expect(readTurnRequest(payload, SETTINGS)).toMatchObject({
      mode: "batch",
      voice: "bf_emma",
      speed: 1.2,
      endpointName: "mine",
    });
  });
});

describe("readRequestId", () => {
  it("keeps a plain id and replaces any other", () => {
    expect(readRequestId(contextOf({ requestId: "abc-1" }))).toBe("abc-1");
    for (const requestId of ["", "a b", "x".repeat(65), undefined]) {
      expect(readRequestId(contextOf({ requestId }))).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe("readRuntimeSessionId", () => {
  it("fails an id that is too long, without repeating it", () => {
    expect(readRuntimeSessionId(contextOf({ sessionId: "s".repeat(256) }))).toHaveLength(256);
    expect(() => readRuntimeSessionId(contextOf({ sessionId: "s".repeat(257) }))).toThrow(
      /at most 256.*got 257$/,
    );
  });
});

describe("parseJson", () => {
  it("fails what is no JSON without repeating it", () => {
    expect(() => parseJson("spoken words")).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
    expect(() => parseJson("spoken words")).not.toThrow(/spoken words/);
  });
});
