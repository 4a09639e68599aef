import {
  ContextWindowOverflowError,
  MaxTokensError,
  Message,
  ModelError,
  ModelThrottledError,
} from "@strands-agents/sdk";
import { describe, expect, it } from "vitest";
import { toModelFailure } from "../../../container/agent/model-failure.ts";
import { isSpeechError, SpeechError } from "../../../lib/errors.ts";

const MODEL = { region: "us-east-1", modelId: "acme.talker-v1:0" };

function named(name: string, message = "secret: user said hello", cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name });
}
/** As Strands hands on what the SDK threw. */
const wrapped = (cause: Error) => new ModelError(cause.message, { cause });

describe("toModelFailure", () => {
  it.each([
    ["AccessDeniedException", "ACCESS_DENIED", false, "bedrock:InvokeModelWithResponseStream"],
    ["CredentialsProviderError", "ACCESS_DENIED", false, "aws sso login"],
    ["UnrecognizedClientException", "ACCESS_DENIED", false, "renew"],
    ["ExpiredTokenException", "ACCESS_DENIED", false, "renew"],
    ["ThrottlingException", "THROTTLED", true, "Service Quotas"],
    ["ResourceNotFoundException", "LANGUAGE_MODEL_FAILED", false, "BEDROCK_MODEL_ID"],
    ["ValidationException", "LANGUAGE_MODEL_FAILED", false, "BEDROCK_MODEL_ID"],
    ["ServiceUnavailableException", "LANGUAGE_MODEL_FAILED", true, "ask again"],
    ["ModelStreamErrorException", "LANGUAGE_MODEL_FAILED", true, "ask again"],
    ["TypeError", "LANGUAGE_MODEL_FAILED", true, "ask again"],
  ])("makes %s a %s with a next step and without its message", (name, code, retryable, step) => {
    const failure = toModelFailure(wrapped(named(name)), MODEL) as SpeechError;
    expect(failure).toMatchObject({ code, retryable });
    expect(failure.message).toContain(step);
    expect(failure.message).not.toContain("secret");
  });

  it("knows Strands' own errors", () => {
    const partial = new Message({ role: "assistant", content: [] });
    expect(toModelFailure(new ModelThrottledError("x"), MODEL)).toMatchObject({ code: "THROTTLED" });
    expect(toModelFailure(new ContextWindowOverflowError("x"), MODEL)).toMatchObject({
      message: expect.stringContaining("new session"),
    });
    expect(toModelFailure(new MaxTokensError("x", partial), MODEL)).toMatchObject({
      message: expect.stringContaining("token limit"),
    });
  });

  it("says that Bedrock cannot be reached", () => {
    const refused = wrapped(named("Error", "x", Object.assign(new Error("x"), { code: "ECONNREFUSED" })));
    expect(toModelFailure(refused, MODEL)).toMatchObject({
      code: "LANGUAGE_MODEL_FAILED",
      message: expect.stringContaining("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
    });
  });

  it("passes a SpeechError through, also one that the SDK and Strands have wrapped", () => {
    const ours = new SpeechError("CONFIGURATION", "no AWS credentials found");
    expect(toModelFailure(wrapped(ours), MODEL)).toBe(ours);
  });

  it("passes the end of a caller through", () => {
    const left = named("AbortError");
    expect(toModelFailure(left, MODEL)).toBe(left);
    expect(isSpeechError(toModelFailure(wrapped(named("AbortError")), MODEL))).toBe(true);
  });
});
