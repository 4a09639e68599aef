import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpeechError } from "../../../lib/errors.ts";
import { type AgentEvent, readAgentEvent, readAgentPayload } from "../../../lib/protocol/agent-events.ts";
import { PROMPT_MAX_CHARS } from "../../../lib/protocol/limits.ts";
import { encodeSse, SseReader } from "../../../lib/protocol/sse.ts";
import { protocolFixture, protocolFixtures } from "../../helpers/protocol-fixtures.ts";

function errorOf(call: () => unknown): SpeechError {
  try {
    call();
  } catch (error) {
    if (error instanceof SpeechError) return error;
    throw error;
  }
  throw new Error("did not throw");
}

describe("readAgentPayload", () => {
  it.each(protocolFixtures("request", "agent"))("$name", ({ value }) => {
    expect(readAgentPayload(value)).toEqual({ mode: "bidi", ...value });
  });

  it("trims the prompt", () => {
    expect(readAgentPayload({ prompt: "  Hello?\n" }).prompt).toBe("Hello?");
  });

  const prompt = `prompt must be a string of 1 to ${PROMPT_MAX_CHARS} characters`;
  it.each([
    [undefined, 'the payload must be a JSON object, e.g. {"prompt": "..."}'],
    [null, 'the payload must be a JSON object, e.g. {"prompt": "..."}'],
    ["hello", 'the payload must be a JSON object, e.g. {"prompt": "..."}'],
    [[], 'the payload must be a JSON object, e.g. {"prompt": "..."}'],
    [{}, `${prompt}, got nothing`],
    [{ prompt: "" }, `${prompt}, got an empty string`],
    [{ prompt: " \n" }, `${prompt}, got an empty string`],
    [{ prompt: 42 }, `${prompt}, got a number`],
    [
      { prompt: "x".repeat(PROMPT_MAX_CHARS + 1) },
      `${prompt}, got a string of ${PROMPT_MAX_CHARS + 1} characters`,
    ],
    [{ prompt: "a", mode: "fast" }, 'mode must be "bidi", "batch" or "batch-stream", got "fast"'],
    [{ prompt: "a", speed: 2.01 }, "speed must be a number from 0.5 to 2, got 2.01"],
    [{ prompt: "a", voice: "" }, "voice must be the name of a voice, got an empty string"],
    [{ prompt: "a", endpoint: "a/../b" }, 'endpoint must be the name of a SageMaker endpoint, got "a/../b"'],
    [{ prompt: "a", endpoint: "-a" }, 'endpoint must be the name of a SageMaker endpoint, got "-a"'],
    [{ prompt: "a", endpoint: `a${"b".repeat(63)}` }, /^endpoint must be the name of a SageMaker endpoint/],
  ])("fails on payload %#", (payload, message) => {
    const refused = errorOf(() => readAgentPayload(payload));
    expect(refused.code).toBe("INVALID_REQUEST");
    expect(refused.message).toMatch(message);
    expect(typeof message === "string" ? refused.message : "").toBe(
      typeof message === "string" ? message : "",
    );
  });

  it("takes a prompt of exactly the longest length", () => {
    expect(readAgentPayload({ prompt: "x".repeat(PROMPT_MAX_CHARS) }).prompt).toHaveLength(PROMPT_MAX_CHARS);
  });
});

describe("readAgentEvent", () => {
  const fixtures = [...protocolFixtures("response", "agent"), ...protocolFixtures("error", "agent")];

  it.each(fixtures.filter(({ name }) => name !== "agent-extension"))(
    "$name, also after the way as SSE",
    ({ json, value }) => {
      expect(readAgentEvent(json)).toEqual(value);
      const event = readAgentEvent(json) as AgentEvent;
      const [sse] = new SseReader().feed(new TextEncoder().encode(encodeSse(JSON.stringify(event))));
      expect(readAgentEvent(sse!.data)).toEqual(value);
    },
  );

  it("ignores a type that it does not know", () => {
    expect(readAgentEvent(protocolFixture("response", "agent-extension").json)).toBeUndefined();
  });

  it("drops the code of an error that it does not know, and fields that an extension adds", () => {
    expect(readAgentEvent('{"type": "error", "message": "m", "code": "NEW", "retryable": "?"}')).toEqual({
      type: "error",
      message: "m",
      code: undefined,
      retryable: undefined,
    });
    expect(readAgentEvent('{"type": "agent_end", "tokens": 7}')).toEqual({ type: "agent_end" });
  });

  it.each([
    ["", "the agent sent an event that is not valid JSON"],
    ["{", "the agent sent an event that is not valid JSON"],
    ["[]", "the agent sent an event without a type"],
    ["null", "the agent sent an event without a type"],
    ['"agent_end"', "the agent sent an event without a type"],
    ["{}", "the agent sent an event without a type"],
    ['{"type": 7}', "the agent sent an event without a type"],
    ['{"type": "agent_start"}', "the agent's agent_start event lacks a field"],
    [
      '{"type": "agent_start", "request_id": "r", "mode": "slow"}',
      "the agent's agent_start event lacks a field",
    ],
    ['{"type": "text_delta", "seq": 0}', "the agent's text_delta event lacks a field"],
    ['{"type": "audio_chunk", "seq": "0", "data": ""}', "the agent's audio_chunk event lacks a field"],
    [
      '{"type": "audio_stream_start", "format": "pcm16", "voice": "v", "sample_rate": 0}',
      "the agent's audio_stream_start event lacks a field",
    ],
  ])("fails on %s", (json, message) => {
    const error = errorOf(() => readAgentEvent(json));
    expect(error.code).toBe("PROTOCOL_VIOLATION");
    expect(error.message).toBe(message);
  });

  it("throws nothing but PROTOCOL_VIOLATION, whatever comes", () => {
    const type = fc.constantFrom(
      ..."agent_start text_delta audio_stream_start audio_chunk audio_stream_end agent_end error other".split(
        " ",
      ),
    );
    const event = fc
      .tuple(
        type,
        fc.dictionary(fc.constantFrom("seq", "text", "data", "message", "code", "mode"), fc.jsonValue()),
      )
      .map(([name, fields]) => JSON.stringify({ ...fields, type: name }));
    fc.assert(
      fc.property(fc.oneof(event, fc.json(), fc.string()), (json) => {
        try {
          readAgentEvent(json);
        } catch (error) {
          expect(error).toBeInstanceOf(SpeechError);
          expect((error as SpeechError).code).toBe("PROTOCOL_VIOLATION");
        }
      }),
      { numRuns: 2000 },
    );
  });
});
