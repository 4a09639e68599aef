import { describe, expect, it } from "vitest";
import { resolveSpeechEndpoint } from "../../../../lib/client/sagemaker/endpoint.ts";

const of = (region: string, more = {}) =>
  resolveSpeechEndpoint({ endpointName: "speech-kokoro-82m", region, ...more });

describe("resolveSpeechEndpoint", () => {
  it.each([
    ["us-east-1", "runtime.sagemaker.us-east-1.amazonaws.com"],
    ["us-gov-west-1", "runtime.sagemaker.us-gov-west-1.amazonaws.com"],
    ["cn-north-1", "runtime.sagemaker.cn-north-1.amazonaws.com.cn"],
    ["eusc-de-east-1", "runtime.sagemaker.eusc-de-east-1.amazonaws.eu"],
  ])("finds the host of %s by its partition", (region, host) => {
    const path = "/endpoints/speech-kokoro-82m/invocations";
    expect(of(region).bidiUrl.href).toBe(`https://${host}:8443${path}-bidirectional-stream`);
    expect(of(region).invocationUrl.href).toBe(`https://${host}${path}`);
    expect(of(region).responseStreamUrl.href).toBe(`https://${host}${path}-response-stream`);
  });

  it("takes the FIPS host when asked", () => {
    expect(of("us-west-2", { useFips: true }).bidiUrl.host).toBe(
      "runtime-fips.sagemaker.us-west-2.amazonaws.com:8443",
    );
  });

  it("replaces scheme, host and port by an override, not the path", () => {
    const { bidiUrl, invocationUrl } = of("us-east-1", { overrideUrl: "http://127.0.0.1:9001/ignored" });
    expect(bidiUrl.href).toBe(
      "http://127.0.0.1:9001/endpoints/speech-kokoro-82m/invocations-bidirectional-stream",
    );
    expect(invocationUrl.href).toBe("http://127.0.0.1:9001/endpoints/speech-kokoro-82m/invocations");
  });

  it.each([
    [{ endpointName: "no/slash" }, /letters, digits and hyphens/],
    [{ endpointName: "" }, /1 to 63/],
    [{ endpointName: "x".repeat(64) }, /1 to 63/],
    [{ region: "somewhere" }, /us-east-1/],
    [{ region: "" }, /AWS_REGION/],
    [{ region: "us-east-1.evil.example/" }, /us-east-1/],
    [{ overrideUrl: "ws://127.0.0.1" }, /http:\/\//],
    [{ overrideUrl: "127.0.0.1:9001" }, /http:\/\//],
  ])("fails on %o", (wrong, message) => {
    expect(() => resolveSpeechEndpoint({ endpointName: "speech", region: "us-east-1", ...wrong })).toThrow(
      expect.objectContaining({ code: "CONFIGURATION", message: expect.stringMatching(message) }),
    );
  });
});
