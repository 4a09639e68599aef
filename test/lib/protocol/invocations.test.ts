import { describe, expect, it } from "vitest";
import { SpeechError } from "../../../lib/errors.ts";
import {
  AUDIO_CONTENT_TYPES,
  type InvocationEvent,
  RESULT_HEADERS,
  readInvocation,
} from "../../../lib/protocol/invocations.ts";
import { encodeSse, SseReader } from "../../../lib/protocol/sse.ts";
import { fromWireError, toErrorBody, type WireError } from "../../../lib/protocol/wire-errors.ts";
import { protocolFixture, protocolFixtures } from "../../helpers/protocol-fixtures.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function refusalOf(body: Uint8Array | string): SpeechError {
  try {
    readInvocation(body);
  } catch (error) {
    if (error instanceof SpeechError) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("readInvocation", () => {
  it.each(protocolFixtures("request", "invocation"))(
    "$name is read from bytes and from text",
    ({ json, value }) => {
      expect(readInvocation(json)).toEqual(value);
      expect(readInvocation(utf8(json))).toEqual(value);
      expect(readInvocation(JSON.stringify(readInvocation(json)))).toEqual(value);
    },
  );

  it("takes what a caller of the WebSocket sends, too", () => {
    const { json, value } = protocolFixture("request", "speak");
    expect(readInvocation(json)).toEqual(value);
  });

  it.each([
    ["", 'the body is not valid JSON; send {"text": "..."}'],
    ["text=hello", 'the body is not valid JSON; send {"text": "..."}'],
    ["[]", "the body must be a JSON object"],
    ["null", "the body must be a JSON object"],
    ['"text"', "the body must be a JSON object"],
    ["{}", "text must be a string that is not empty, got nothing"],
    ['{"text": "  "}', "text must be a string that is not empty, got an empty string"],
    ['{"text": "a", "stream": "yes"}', "stream must be true or false, got a string of 3 characters"],
    ['{"text": "a", "transport": "carrier"}', 'transport must be "binary" or "sse", got "carrier"'],
    ['{"text": "a", "format": "ogg"}', 'format must be "wav", "mp3" or "pcm", got "ogg"'],
    [
      '{"text": "a", "format": 3, "speed": 9}',
      'speed must be a number from 0.5 to 2, got 9; format must be "wav", "mp3" or "pcm", got 3',
    ],
  ])("fails on %s", (body, message) => {
    for (const given of [body, utf8(body)]) {
      const refused = refusalOf(given);
      expect(refused.code).toBe("INVALID_REQUEST");
      expect(refused.httpStatus).toBe(400);
      expect(refused.message).toBe(message);
    }
  });

  it("fails on bytes that are no UTF-8", () => {
    expect(refusalOf(Uint8Array.of(0x7b, 0xff, 0x7d)).code).toBe("INVALID_REQUEST");
  });
});

describe("answers", () => {
  it.each([...protocolFixtures("response", "invocation"), protocolFixture("error", "invocation-event")])(
    "$name survives the way as an SSE event",
    ({ value }) => {
      const event = value as InvocationEvent;
      const [read] = new SseReader().feed(utf8(encodeSse(JSON.stringify(event))));
      expect(JSON.parse(read!.data)).toEqual(event);
    },
  );

  it("has an error body that its reader understands", () => {
    const { error } = protocolFixture("error", "invocation-body").value as { error: WireError };
    const read = fromWireError(error);
    expect(read.code).toBe("QUEUE_SATURATED");
    expect(toErrorBody(read, "call-1")).toEqual({ error });
  });

  it("names its headers and content types as on the wire", () => {
    expect(Object.values(RESULT_HEADERS)).toEqual([
      "X-Audio-Duration",
      "X-Inference-Time-Ms",
      "X-RTF",
      "X-Characters-Processed",
    ]);
    expect(AUDIO_CONTENT_TYPES).toEqual({ wav: "audio/wav", mp3: "audio/mpeg", pcm: "audio/pcm" });
  });
});
