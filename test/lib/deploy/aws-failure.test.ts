import { describe, expect, it } from "vitest";
import { awsFailure, isMissing, untranslated } from "../../../lib/deploy/aws-failure.ts";
import { SpeechError } from "../../../lib/errors.ts";

function serviceError(name: string, message = "", httpStatusCode = 400): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
}

const failure = (cause: unknown) => awsFailure(cause, "s3:PutObject", "eu-west-1");

describe("a refusal of AWS", () => {
  it.each([
    ["ExpiredTokenException", "ACCESS_DENIED", "aws sso login"],
    ["ExpiredToken", "ACCESS_DENIED", "expired"],
    ["InvalidClientTokenId", "ACCESS_DENIED", "does not know these credentials"],
    ["SignatureDoesNotMatch", "ACCESS_DENIED", "clock"],
    ["AccessDeniedException", "ACCESS_DENIED", "may not do s3:PutObject in eu-west-1"],
    ["ThrottlingException", "THROTTLED", "s3:PutObject"],
    ["ValidationException", "DEPLOYMENT_FAILED", "s3:PutObject failed in eu-west-1: ValidationException"],
  ])("%s is told as %s", (name, code, words) => {
    expect(failure(serviceError(name))).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it("without a body is told by its status, as S3 answers a HEAD", () => {
    expect(failure(serviceError("403", "", 403))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(isMissing(serviceError("NotFound", "", 404))).toBe(true);
  });

  it("that is none, but a name no DNS knows, points at the region", () => {
    const cause = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    expect(failure(cause)).toMatchObject({
      code: "TRANSPORT_FAILED",
      message: expect.stringContaining("check --region"),
    });
  });

  it("that is already in our words, or an abort, is passed on", () => {
    const ours = new SpeechError("CONFIGURATION", "no AWS credentials found");
    expect(failure(ours)).toBe(ours);
    const abort = new DOMException("interrupted", "AbortError");
    expect(failure(abort)).toBe(abort);
  });

  it("that nobody translated is told all the same, with the action that AWS names", () => {
    const words = "User: somebody is not authorized to perform: ecr:ListTagsForResource on resource: x";
    expect(untranslated(serviceError("AccessDeniedException", words))).toMatchObject({
      code: "ACCESS_DENIED",
      message: expect.stringContaining("may not do ecr:ListTagsForResource"),
    });
    const fault = new TypeError("ours");
    expect(untranslated(fault)).toBe(fault);
  });
});
