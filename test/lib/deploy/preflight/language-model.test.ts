import { describe, expect, it } from "vitest";
import { judgeModel } from "../../../../lib/deploy/preflight/language-model.ts";

const ID = "acme.talker-v1:0";

describe("access to a language model", () => {
  it("is ok when Bedrock says nothing against it", () => {
    expect(judgeModel(ID, undefined, undefined, "eu-west-1", "direct")).toMatchObject({ state: "ok" });
  });

  it("fails for a model that cannot stream", () => {
    expect(
      judgeModel(ID, { responseStreamingSupported: false }, undefined, "eu-west-1", "direct"),
    ).toMatchObject({ state: "failed", message: `${ID} cannot stream its answer` });
  });

  it("by a profile does not ask for the model in the caller's own region", () => {
    const availability = { regionAvailability: "NOT_AVAILABLE" } as const;
    expect(judgeModel(ID, undefined, availability, "eu-west-1", "profile")).toMatchObject({ state: "ok" });
    expect(judgeModel(ID, undefined, availability, "eu-west-1", "direct")).toMatchObject({ state: "failed" });
  });

  it("warns of a model that is to be withdrawn", () => {
    const details = { modelLifecycle: { status: "LEGACY" } } as const;
    expect(judgeModel(ID, details, undefined, "eu-west-1", "direct")).toMatchObject({ state: "warning" });
  });
});
