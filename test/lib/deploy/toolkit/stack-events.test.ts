import type { StackEvent } from "@aws-sdk/client-cloudformation";
import { describe, expect, it } from "vitest";
import { firstFailure, resourceProgress } from "../../../../lib/deploy/toolkit/stack-events.ts";

const STACK_ID = "stack-id";

function event(LogicalResourceId: string, ResourceStatus: string, ResourceStatusReason?: string): StackEvent {
  return {
    EventId: "1",
    Timestamp: new Date(0),
    StackId: STACK_ID,
    StackName: "speech",
    LogicalResourceId,
    PhysicalResourceId: LogicalResourceId === "speech" ? STACK_ID : "physical",
    ResourceType: LogicalResourceId === "speech" ? "AWS::CloudFormation::Stack" : "AWS::SageMaker::Model",
    ResourceStatus: ResourceStatus as NonNullable<StackEvent["ResourceStatus"]>,
    ...(ResourceStatusReason !== undefined && { ResourceStatusReason }),
  };
}

describe("firstFailure", () => {
  it("is the first resource that failed by itself, not what was cancelled or rolled back because of it", () => {
    const failure = firstFailure([
      event("speech", "CREATE_IN_PROGRESS"),
      event("Other", "CREATE_FAILED", "Resource creation cancelled"),
      event("Model", "CREATE_FAILED", "no such\n image"),
      event("Later", "DELETE_FAILED", "in use"),
      event("speech", "ROLLBACK_FAILED", "The following resource(s) failed"),
    ]);
    expect(failure).toEqual({
      stack: "speech",
      resource: "Model",
      resourceType: "AWS::SageMaker::Model",
      reason: "no such image",
    });
  });

  it("is the stack itself where no resource failed, and nothing where nothing did", () => {
    expect(firstFailure([event("speech", "ROLLBACK_FAILED", "export in use")])?.reason).toBe("export in use");
    expect(firstFailure([event("Model", "CREATE_COMPLETE")])).toBeUndefined();
  });

  it("says so where CloudFormation gives no reason", () => {
    expect(firstFailure([event("Model", "CREATE_FAILED")])?.reason).toBe("CloudFormation gives no reason");
  });
});

describe("resourceProgress", () => {
  it("counts resources that came to an end among those seen, without the stack", () => {
    const counts = resourceProgress([
      event("speech", "CREATE_IN_PROGRESS"),
      event("Role", "CREATE_IN_PROGRESS"),
      event("Role", "CREATE_COMPLETE"),
      event("Model", "CREATE_IN_PROGRESS"),
    ]).map(
      (progress) => progress.kind === "resource" && [progress.resource, progress.completed, progress.total],
    );
    expect(counts).toEqual([
      ["Role", 0, 1],
      ["Role", 1, 1],
      ["Model", 1, 2],
    ]);
  });
});
