import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRequestId, newRequestId, requestIdHeader } from "../../../container/tts/request-id.ts";
import { REQUEST_ID_MAX_CHARS } from "../../../lib/protocol/limits.ts";

const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

describe("findRequestId", () => {
  test("finds the id of any message, whatever its text and wherever it stands", () => {
    const id = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(id, fc.string({ unit: "binary" }), fc.boolean(), (request_id, text, idFirst) => {
        const message = idFirst ? { request_id, text } : { text: `${text}"request_id": "no"`, request_id };
        expect(findRequestId(bytes(message))).toBe(request_id);
      }),
    );
  });

  test("reads around blanks, and in a message that is otherwise broken", () => {
    expect(findRequestId(bytes('{ "request_id" :\n "abc", "text": '))).toBe("abc");
  });

  test.each([
    ["none", { text: "x" }],
    ["a number", { request_id: 7 }],
    ["an empty one", { request_id: "" }],
    ["one too long", { request_id: "x".repeat(REQUEST_ID_MAX_CHARS + 1) }],
    ["one without an end", '{"request_id": "abc'],
    ["the word as text", { text: "request_id" }],
    ["a bad escape", '{"request_id": "\\x"}'],
  ])("finds nothing in a message with %s", (_, message) => {
    expect(findRequestId(bytes(message))).toBeUndefined();
  });

  test("takes the longest id that is allowed, also fully escaped", () => {
    const escaped = "\\u00e9".repeat(REQUEST_ID_MAX_CHARS);
    expect(findRequestId(bytes(`{"request_id":"${escaped.slice(0, 6 * 100)}"}`))).toBe("é".repeat(100));
    expect(findRequestId(bytes(`{"request_id":"${escaped}"}`))).toBe("é".repeat(REQUEST_ID_MAX_CHARS));
  });
});

test("requestIdHeader keeps visible ASCII and encodes everything else", () => {
  expect(requestIdHeader("turn-7/a=b")).toBe("turn-7/a=b");
  expect(requestIdHeader("a\r\nb é")).toBe("a%0D%0Ab%20%C3%A9");
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (id) => {
      expect(requestIdHeader(id)).toMatch(/^[\x21-\x7e]+$/);
    }),
  );
});

test("newRequestId gives another id each time", () => {
  expect(newRequestId()).not.toBe(newRequestId());
});
