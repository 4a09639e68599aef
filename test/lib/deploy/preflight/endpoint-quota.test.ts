import { describe, expect, it } from "vitest";
import { judgeQuota } from "../../../../lib/deploy/preflight/endpoint-quota.ts";

const WANTED = { instanceType: "ml.g5.xlarge", minInstances: 2, maxInstances: 3 };
const judge = (value: number | undefined) =>
  judgeQuota(value === undefined ? undefined : { Value: value, QuotaCode: "L-1" }, WANTED, "eu-west-1");

describe("the quota of instances", () => {
  it("fails below the least number, and asks for room for an update", () => {
    expect(judge(1)).toMatchObject({
      state: "failed",
      next: expect.stringContaining("--quota-code L-1 --desired-value 4 --region eu-west-1"),
    });
  });

  it("warns where an update, which runs two fleets, would not fit", () => {
    expect(judge(2)).toMatchObject({ state: "warning" });
    expect(judge(3)).toMatchObject({ state: "warning" });
    expect(judge(4)).toMatchObject({ state: "ok" });
  });

  it("fails where SageMaker has none for the type", () => {
    expect(judge(undefined)).toMatchObject({ state: "failed", next: expect.stringContaining("--region") });
  });
});
