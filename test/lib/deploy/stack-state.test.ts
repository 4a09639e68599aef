import { describe, expect, it } from "vitest";
import { requireOutput, stackState } from "../../../lib/deploy/stack-state.ts";

const stack = stackState({
  StackName: "speech",
  StackStatus: "CREATE_COMPLETE",
  CreationTime: new Date(0),
  Outputs: [{ OutputKey: "ModelBucket", OutputValue: "weights" }],
  Tags: [{ Key: "product", Value: "kokoro-agent-voice" }],
});

describe("a stack's outputs", () => {
  it("are found by their key", () => {
    expect(requireOutput(stack, "speech", "ModelBucket", "speech-infra deploy")).toBe("weights");
  });

  it("fails without the stack and names the command that makes it", () => {
    expect(() => requireOutput(undefined, "speech", "ModelBucket", "speech-infra deploy")).toThrow(
      "there is no stack speech in this account and region; run speech-infra deploy",
    );
  });

  it("fails without the output and says what state the stack is in", () => {
    expect(() => requireOutput(stack, "speech", "RuntimeArn", "agent-infra deploy")).toThrow(
      "the stack speech (CREATE_COMPLETE) has no output RuntimeArn; run agent-infra deploy",
    );
  });
});
