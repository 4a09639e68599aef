import { describe, expect, test } from "vitest";
import { checkModelId, readConverseRequest } from "../../../lib/local/bedrock-converse.ts";

const body = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const user = (text: string) => ({ role: "user", content: [{ text }] });

test("the prompt is the last user message; tokens count system and history too", () => {
  const request = readConverseRequest(
    body({
      system: [{ text: "Be brief." }],
      messages: [user("one two"), { role: "assistant", content: [{ text: "three" }] }, user("four")],
      inferenceConfig: { maxTokens: 7 },
    }),
  );
  expect(request).toEqual({ prompt: "four", maxTokens: 7, inputTokens: 7 });
});

describe("a request is refused as Bedrock refuses it", () => {
  test.each<[string, unknown, RegExp]>([
    ["not JSON", "{", /not JSON/],
    ["null", "null", /must start with a user message/],
    ["no messages", {}, /must start with a user message/],
    [
      "the assistant first",
      { messages: [{ role: "assistant", content: [] }] },
      /must start with a user message/,
    ],
    [
      "the assistant last",
      { messages: [user("a"), { role: "assistant", content: [{ text: "b" }] }] },
      /last turn/,
    ],
    ["a blank prompt", { messages: [user("  ")] }, /blank/],
    ["maxTokens of zero", { messages: [user("a")], inferenceConfig: { maxTokens: 0 } }, /maxTokens/],
  ])("fails: %s", (_name, value, message) => {
    expect(() => readConverseRequest(body(value))).toThrow(
      expect.objectContaining({
        status: 400,
        errorType: "ValidationException",
        message: expect.stringMatching(message),
      }),
    );
  });
});

test.each([
  "anthropic.claude-3-haiku-20240307-v1:0",
  "us.amazon.nova-lite-v1:0",
  "local.stand-in-v1",
  "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.x-v1:0",
])("%s looks like a model's id", (id) => {
  expect(checkModelId(encodeURIComponent(id), undefined)).toBe(id);
});

test("fails for an id that is malformed, or not among those known", () => {
  for (const id of ["nonsense", "a b.c", "%zz", ""]) {
    expect(() => checkModelId(id, undefined)).toThrow("The provided model identifier is invalid.");
  }
  expect(() => checkModelId("local.other-v1", ["local.stand-in-v1"])).toThrow(/identifier is invalid/);
});
