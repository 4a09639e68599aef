import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpeechError } from "../../../lib/errors.ts";
import { REQUEST_ID_MAX_CHARS } from "../../../lib/protocol/limits.ts";
import {
  type CallerMessage,
  type ContainerMessage,
  encodeMessage,
  isSpeakMessage,
  RefusedMessage,
  readCallerMessage,
  readContainerPart,
} from "../../../lib/protocol/messages.ts";
import { protocolFixture, protocolFixtures } from "../../helpers/protocol-fixtures.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function refusalOf(frame: Uint8Array | string): RefusedMessage {
  const message = readCallerMessage(frame);
  if (!(message instanceof RefusedMessage)) throw new Error(`accepted: ${encodeMessage(message)}`);
  expect(message.error.code).toBe("INVALID_REQUEST");
  return message;
}

describe("a caller's message", () => {
  const fixtures = protocolFixtures("request", "speak", "close", "cancel");

  it.each(fixtures)("$name is read from a text and from a binary frame", ({ name, json, value }) => {
    const { emotion: _, emphasis: __, ...known } = value;
    expect(readCallerMessage(json)).toEqual(known);
    expect(readCallerMessage(utf8(json))).toEqual(known);
    expect(isSpeakMessage(readCallerMessage(json) as CallerMessage)).toBe(name.startsWith("speak"));
  });

  it.each(fixtures)("$name is the same after encoding", ({ json }) => {
    const message = readCallerMessage(json) as CallerMessage;
    expect(readCallerMessage(encodeMessage(message))).toEqual(message);
  });

  it("drops what an extension adds", () => {
    const { json } = protocolFixture("request", "speak-extension");
    expect(readCallerMessage(json)).toEqual({ text: "Hello.", request_id: "turn-1-3" });
  });

  const lexicon =
    "lexicon must be an object of at most 500 words and what is said for them, each of at most 200 characters";
  const speed = "speed must be a number from 0.5 to 2";
  const REFUSED: [given: string, message: string][] = [
    ["", 'the message is not valid JSON; send {"text": "..."}'],
    ["{", 'the message is not valid JSON; send {"text": "..."}'],
    ["hello", 'the message is not valid JSON; send {"text": "..."}'],
    ['{"text": "a"} {"text": "b"}', 'the message is not valid JSON; send {"text": "..."}'],
    ["[]", "the message must be a JSON object, got an array"],
    ['"text"', "the message must be a JSON object, got a string"],
    ["42", "the message must be a JSON object, got a number"],
    ["true", "the message must be a JSON object, got a boolean"],
    ["null", "the message must be a JSON object, got null"],
    ["{}", "text must be a string that is not empty, got nothing"],
    ['{"text": ""}', "text must be a string that is not empty, got an empty string"],
    ['{"text": " \\n\\t\\u00a0"}', "text must be a string that is not empty, got an empty string"],
    ['{"text": null}', "text must be a string that is not empty, got null"],
    ['{"text": 42}', "text must be a string that is not empty, got a number"],
    ['{"text": ["secret"]}', "text must be a string that is not empty, got an array"],
    ['{"text": "a", "normalize": "no"}', "normalize must be true or false, got a string of 2 characters"],
    ['{"text": "a", "lexicon": ["a"]}', `${lexicon}, got an array`],
    ['{"text": "a", "lexicon": {"a": 5}}', `${lexicon}, got an object`],
    ['{"text": "a", "lexicon": {" ": "b"}}', `${lexicon}, got an object`],
    ['{"text": "a", "lexicon": "secret"}', `${lexicon}, got a string of 6 characters`],
    ['{"text": "a", "speed": 3}', `${speed}, got 3`],
    ['{"text": "a", "speed": 0.49}', `${speed}, got 0.49`],
    ['{"text": "a", "speed": "fast secret"}', `${speed}, got a string of 11 characters`],
    ['{"text": "a", "speed": null}', `${speed}, got null`],
    ['{"text": "a", "voice": ""}', "voice must be the name of a voice, got an empty string"],
    ['{"text": "a", "voice": 7}', "voice must be the name of a voice, got 7"],
    [
      '{"text": "a", "sample_rate": 44100}',
      "sample_rate must be one of 8000, 16000, 24000, 48000, got 44100",
    ],
    [
      '{"text": "a", "request_timestamp": -5}',
      "request_timestamp must be the time of sending in seconds since 1970, got -5",
    ],
    [
      '{"text": "a", "request_timestamp": "now"}',
      "request_timestamp must be the time of sending in seconds since 1970, got a string of 3 characters",
    ],
    ['{"text": "a", "request_id": 7}', "request_id must be a string of 1 to 128 characters, got 7"],
    [
      '{"text": "a", "request_id": ""}',
      "request_id must be a string of 1 to 128 characters, got an empty string",
    ],
    [
      `{"text": "a", "request_id": "${"x".repeat(129)}"}`,
      "request_id must be a string of 1 to 128 characters, got a string of 129 characters",
    ],
    ['{"type": "sing"}', 'type must be "speak", "close", "cancel" or absent, got an unknown type'],
    ['{"type": null, "text": "a"}', 'type must be "speak", "close", "cancel" or absent, got an unknown type'],
    ['{"type": "cancel", "request_id": 7}', "request_id must be a string of 1 to 128 characters, got 7"],
    ['{"speed": 9}', `text must be a string that is not empty, got nothing; ${speed}, got 9`],
  ];

  it.each(REFUSED)("fails on %s", (given, message) => {
    expect(refusalOf(given).error.message).toBe(message);
    expect(refusalOf(utf8(given)).error.message).toBe(message);
  });

  it("fails on bytes that are no UTF-8", () => {
    expect(refusalOf(Uint8Array.of(0x7b, 0xff, 0x7d)).error.message).toContain("not valid JSON");
  });

  it("keeps the request id of what it refuses, when there is one that can be echoed", () => {
    expect(refusalOf('{"request_id": "r1", "text": ""}').requestId).toBe("r1");
    expect(refusalOf('{"request_id": "r1", "type": "sing"}').requestId).toBe("r1");
    expect(refusalOf('{"request_id": 7, "text": "a"}').requestId).toBeUndefined();
    expect(refusalOf(`{"request_id": "${"x".repeat(REQUEST_ID_MAX_CHARS + 1)}"}`).requestId).toBeUndefined();
    expect(refusalOf("{").requestId).toBeUndefined();
  });

  it("names every wrong field for machines", () => {
    expect(refusalOf('{"text": 1, "speed": 9}').error.details).toEqual({ fields: ["text", "speed"] });
  });

  it("takes the bounds of speed and request_id", () => {
    for (const speed of [0.5, 1, 2])
      expect(readCallerMessage(JSON.stringify({ text: "a", speed }))).toEqual({ text: "a", speed });
    const request_id = "x".repeat(REQUEST_ID_MAX_CHARS);
    expect(readCallerMessage(JSON.stringify({ text: "a", request_id }))).toEqual({ text: "a", request_id });
  });

  it("never throws, and never repeats the text, whatever comes", () => {
    const field = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const object = fc.dictionary(
      fc.constantFrom(
        "type",
        "text",
        "voice",
        "speed",
        "request_id",
        "request_timestamp",
        "sample_rate",
        "normalize",
        "lexicon",
        "x",
      ),
      field,
    );
    fc.assert(
      fc.property(
        fc.oneof(
          object.map((value) => JSON.stringify(value)),
          fc.json(),
          fc.string(),
        ),
        (json) => {
          expect(readCallerMessage(utf8(json))).toEqual(readCallerMessage(json));
        },
      ),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(() => readCallerMessage(bytes)).not.toThrow();
      }),
    );
    fc.assert(
      fc.property(
        fc.string({ minLength: 12 }).filter((text) => /[a-z]{6}/.test(text)),
        (text) => {
          const refused = refusalOf(JSON.stringify({ text, speed: text, sample_rate: text }));
          expect(refused.error.message).not.toContain(text);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("a container's message", () => {
  const fixtures = [
    ...protocolFixtures("response", "synthesis").filter(({ name }) => name !== "synthesis-extension"),
    ...protocolFixtures("error", "synthesis"),
  ];

  it.each(fixtures)("$name is read and the same after encoding", ({ json, value }) => {
    const expected = { ...value, request_id: value.request_id ?? "" };
    if (value.code === "TOO_LIVELY") Object.assign(expected, { code: undefined });
    expect(readContainerPart(json)).toEqual({ kind: "message", message: expected });
    const part = readContainerPart(utf8(json));
    expect(part).toEqual({ kind: "message", message: expected });
    const encoded = encodeMessage((part as { message: ContainerMessage }).message);
    expect(readContainerPart(utf8(encoded))).toEqual(part);
  });

  it("ignores a type that it does not know, and never takes it for audio", () => {
    const { json } = protocolFixture("response", "synthesis-extension");
    expect(readContainerPart(utf8(json))).toEqual({ kind: "unknown", type: "word_timings" });
    expect(readContainerPart("{}")).toEqual({ kind: "unknown", type: "" });
    expect(readContainerPart('{"type": 7}')).toEqual({ kind: "unknown", type: "7" });
  });

  it("reads SageMaker's own error", () => {
    const { json } = protocolFixture("error", "model-stream");
    const expected = {
      kind: "model-stream-error",
      errorCode: "ModelNotReady",
      message: "the model is still being loaded",
    };
    expect(readContainerPart(json)).toEqual(expected);
    expect(readContainerPart(utf8(json))).toEqual(expected);
    expect(readContainerPart('{"ModelStreamError": {}}')).toEqual({
      kind: "model-stream-error",
      errorCode: "",
      message: "",
    });
  });

  it("takes an id that is null or absent as none", () => {
    expect(readContainerPart('{"type": "synthesis_start", "request_id": null}')).toEqual({
      kind: "message",
      message: { type: "synthesis_start", request_id: "" },
    });
    expect(readContainerPart('{"type": "synthesis_start"}')).toEqual({
      kind: "message",
      message: { type: "synthesis_start", request_id: "" },
    });
  });

  it.each([
    '{"type": "synthesis_complete", "request_id": "r"}',
    '{"type": "synthesis_start", "request_id": 7}',
  ])("fails on a known type that lacks a field: %s", (json) => {
    try {
      readContainerPart(json);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(SpeechError);
      expect((error as SpeechError).code).toBe("PROTOCOL_VIOLATION");
      expect((error as SpeechError).message).toMatch(/^the container's synthesis_\w+ message lacks a field$/);
    }
  });

  it("hides the code of an error that it does not know", () => {
    const { json } = protocolFixture("error", "synthesis-code-of-a-newer-peer");
    const part = readContainerPart(json) as { message: { code?: string } };
    expect(part.message.code).toBeUndefined();
  });
});
