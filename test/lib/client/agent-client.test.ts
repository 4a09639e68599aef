import { describe, expect, it } from "vitest";
import { parseAgentTarget } from "../../../lib/client/agent-client.ts";

describe("parseAgentTarget", () => {
  it("takes a URL", () => {
    expect(parseAgentTarget("http://127.0.0.1:8080")).toEqual({
      kind: "url",
      url: new URL("http://127.0.0.1:8080"),
    });
  });

  it.each(["aws", "aws-us-gov", "aws-cn"])("takes the ARN of a runtime in partition %s", (partition) => {
    const arn = `arn:${partition}:bedrock-agentcore:eu-west-1:123456789012:runtime/voice_agent-AbC123`;
    expect(parseAgentTarget(arn)).toEqual({ kind: "runtime", arn, region: "eu-west-1" });
  });

  it.each([
    "",
    "voice-agent",
    "ws://127.0.0.1:8080",
    "arn:aws:lambda:eu-west-1:123456789012:function:x",
    "arn:aws:bedrock-agentcore:eu-west-1:123456789012:memory/x",
  ])("fails on %o and says what is allowed", (text) => {
    expect(() => parseAgentTarget(text)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION", message: expect.stringMatching(/URL.*ARN/) }),
    );
  });
});
