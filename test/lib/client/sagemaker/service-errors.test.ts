import { describe, expect, it } from "vitest";
import { httpFailure, serviceError } from "../../../../lib/client/sagemaker/service-errors.ts";

function error(name: string, body: unknown = {}, httpStatus?: number) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return serviceError({ name, body: text, endpointName: "speech", ...(httpStatus && { httpStatus }) });
}

describe("serviceError", () => {
  it.each([
    ["InputValidationError", "INVALID_REQUEST", false],
    ["ValidationError", "INVALID_REQUEST", false],
    ["AccessDeniedException", "ACCESS_DENIED", false],
    ["ExpiredTokenException", "ACCESS_DENIED", false],
    ["InvalidSignatureException", "ACCESS_DENIED", false],
    ["UnrecognizedClientException", "ACCESS_DENIED", false],
    ["ThrottlingException", "THROTTLED", true],
    ["ServiceUnavailableError", "MODEL_NOT_READY", true],
    ["ServiceUnavailable", "MODEL_NOT_READY", true],
    ["ModelNotReadyException", "MODEL_NOT_READY", true],
    ["InternalServerError", "TRANSPORT_FAILED", true],
    ["InternalStreamFailure", "TRANSPORT_FAILED", true],
    ["InternalFailure", "TRANSPORT_FAILED", true],
  ])("makes %s a %s", (name, code, retryable) => {
    expect(error(name, { Message: "words" })).toMatchObject({
      code,
      retryable,
      message: expect.stringContaining("words"),
      details: { exception: name, endpointName: "speech" },
    });
  });

  it("says what to do about an endpoint that does not exist", () => {
    const failure = error(
      "InputValidationError",
      { Message: "Endpoint speech of account 1 not found." },
      400,
    );
    expect(failure.code).toBe("NOT_FOUND");
    expect(failure.message).toMatch(/no endpoint "speech".*speech-infra deploy/);
  });

  it("calls the service's own time limit what it is, and says what to do", () => {
    const original = "Your invocation timed out while waiting for a response from container primary.";
    const body = { Message: `(0) "${original}"`, OriginalStatusCode: 0, OriginalMessage: original };
    expect(error("ModelError", body, 424)).toMatchObject({
      code: "DEADLINE_EXCEEDED",
      retryable: true,
      message: expect.stringMatching(/time limit; send a shorter text, or have it streamed/),
    });
    expect(error("ModelError", { OriginalStatusCode: 0 }, 424).message).not.toContain("HTTP 0");
  });

  it.each([
    [400, "INVALID_REQUEST"],
    [401, "ACCESS_DENIED"],
    [403, "ACCESS_DENIED"],
    [404, "NOT_FOUND"],
    [413, "TEXT_TOO_LONG"],
    [429, "THROTTLED"],
    [500, "TRANSPORT_FAILED"],
    [503, "MODEL_NOT_READY"],
    [418, "TRANSPORT_FAILED"],
  ])("falls back to HTTP %d", (httpStatus, code) => {
    expect(error("", "<html>", httpStatus)).toMatchObject({
      code,
      message: expect.stringContaining(`${httpStatus}`),
    });
    expect(error("", "<html>", httpStatus).message).not.toContain("<html>");
  });

  it("unwraps a ModelError to the container's own error", () => {
    const body = {
      Message: "Received server error (503) from primary",
      OriginalStatusCode: 503,
      OriginalMessage: JSON.stringify({
        error: { code: "QUEUE_SATURATED", message: "queue_saturated: full" },
      }),
      LogStreamArn: "arn:x",
    };
    expect(error("ModelError", body, 424)).toMatchObject({
      code: "QUEUE_SATURATED",
      message: "queue_saturated: full",
      retryable: true,
      details: { originalStatus: 503, logStreamArn: "arn:x" },
    });
  });

  it.each([
    [400, "INVALID_REQUEST"],
    [408, "REQUEST_STALE"],
    [413, "TEXT_TOO_LONG"],
    [503, "QUEUE_SATURATED"],
    [500, "SYNTHESIS_FAILED"],
  ])("unwraps a ModelError of a stranger's HTTP %d by its status, and never quotes it", (status, code) => {
    const failure = error(
      "ModelError",
      { OriginalStatusCode: status, OriginalMessage: "you said: hello" },
      424,
    );
    expect(failure.code).toBe(code);
    expect(failure.message).not.toContain("hello");
  });

  it("unwraps a ModelStreamError to the container's own code, SageMaker's, or a close code", () => {
    const stream = (ErrorCode: string, Message = "") => error("ModelStreamError", { ErrorCode, Message });
    expect(stream("UNKNOWN_VOICE", "unknown voice")).toMatchObject({
      code: "UNKNOWN_VOICE",
      message: "unknown voice",
    });
    expect(stream("1013")).toMatchObject({ code: "QUEUE_SATURATED", retryable: true });
    expect(stream("1002")).toMatchObject({ code: "PROTOCOL_VIOLATION" });
    expect(stream("1006")).toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(stream("ModelInvocationTimeExceeded")).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(stream("StreamBroken")).toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(stream("", "queue_saturated: full")).toMatchObject({ code: "QUEUE_SATURATED" });
    const stranger = stream("SOMETHING", "you said: hello");
    expect(stranger.code).toBe("SYNTHESIS_FAILED");
    expect(stranger.message).not.toContain("hello");
  });

  it("shortens what AWS says", () => {
    expect(error("ThrottlingException", { message: "x".repeat(5_000) }).message.length).toBeLessThan(500);
  });

  it.each([[null], ["not json"], [[]], [42]])("does not stumble over the body %o", (body) => {
    expect(() => error("ModelError", body, 424)).not.toThrow();
    expect(() => error("ModelStreamError", body)).not.toThrow();
  });
});

describe("httpFailure", () => {
  const read = (headers: Record<string, string>, body: string) =>
    httpFailure(400, (name) => headers[name], body, "speech").name;

  it("finds the exception's name wherever a protocol puts it", () => {
    expect(read({ "x-amzn-errortype": "ModelError" }, "{}")).toBe("ModelError");
    expect(read({ "x-amzn-errortype": "InternalFailure:http://internal.amazon.com/x" }, "{}")).toBe(
      "InternalFailure",
    );
    expect(read({}, '{"__type":"com.amazonaws.sagemaker#ValidationError"}')).toBe("ValidationError");
    expect(read({}, "<html>")).toBe("");
  });

  it("keeps the AWS request id", () => {
    const failure = httpFailure(
      500,
      (name) => (name === "x-amzn-requestid" ? "req-1" : undefined),
      "",
      "speech",
    );
    expect(serviceError(failure).details).toMatchObject({ awsRequestId: "req-1", httpStatus: 500 });
  });
});
