import { describe, expect, it } from "vitest";
import { type HealthSigns, hasFailedOperation, judgeHealth } from "../../../../lib/deploy/status/health.ts";

const WELL: HealthSigns = {
  stacks: ["CREATE_COMPLETE", "CREATE_COMPLETE", "UPDATE_COMPLETE"],
  serviceStack: "UPDATE_COMPLETE",
  service: ["InService"],
  alarms: 0,
};
const judge = (signs: Partial<HealthSigns>) => judgeHealth({ ...WELL, ...signs });

describe("health", () => {
  it.each<[string, Partial<HealthSigns>, string]>([
    ["everything is well", {}, "healthy"],
    ["an agent's runtime and endpoint are ready", { service: ["READY", "READY"] }, "healthy"],
    ["an update was rolled back and the old one serves", { stacks: ["UPDATE_ROLLBACK_COMPLETE"] }, "healthy"],
    ["nothing is there", { stacks: [undefined], serviceStack: undefined, service: [] }, "not-deployed"],
    [
      "only the foundation is there",
      { stacks: ["CREATE_COMPLETE", undefined], serviceStack: undefined, service: [] },
      "not-deployed",
    ],
    ["a stack moves", { stacks: ["UPDATE_IN_PROGRESS"] }, "in-progress"],
    ["a stack goes back", { stacks: ["UPDATE_ROLLBACK_IN_PROGRESS"] }, "in-progress"],
    ["the endpoint moves though no stack does", { service: ["RollingBack"] }, "in-progress"],
    ["a moving endpoint rings", { service: ["Updating"], alarms: 1 }, "in-progress"],
    ["a runtime is made", { service: ["CREATING", "missing"] }, "in-progress"],
    ["an alarm rings", { alarms: 1 }, "unhealthy"],
    ["the endpoint failed", { service: ["Failed"] }, "unhealthy"],
    ["the runtime has no endpoint", { service: ["READY", "missing"] }, "unhealthy"],
    ["a stack could not be made", { stacks: ["ROLLBACK_COMPLETE"], service: [] }, "unhealthy"],
    ["a stack could not be deleted", { stacks: ["DELETE_FAILED"] }, "unhealthy"],
    ["somebody deleted the endpoint by hand", { service: [] }, "unhealthy"],
  ])("when %s", (_case, signs, health) => {
    expect(judge(signs)).toBe(health);
  });

  it("asks for the reason of every operation that came to nothing", () => {
    expect(["UPDATE_ROLLBACK_COMPLETE", "ROLLBACK_COMPLETE", "DELETE_FAILED"].every(hasFailedOperation)).toBe(
      true,
    );
    expect(["CREATE_COMPLETE", "UPDATE_IN_PROGRESS"].some(hasFailedOperation)).toBe(false);
  });
});
