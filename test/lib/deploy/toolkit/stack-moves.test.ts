import { describe, expect, it } from "vitest";
import { TAGS } from "../../../../lib/config/deployment-names.ts";
import type { StackState } from "../../../../lib/deploy/stack-state.ts";
import { moveForDeploy, moveForDestroy, requireOurs } from "../../../../lib/deploy/toolkit/stack-moves.ts";

/** Every state of https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html and none at all. */
const MOVES: readonly [string | undefined, string, string][] = [
  [undefined, "deploy", "nothing"],
  ["CREATE_IN_PROGRESS", "wait", "delete"],
  ["CREATE_FAILED", "replace", "delete"],
  ["CREATE_COMPLETE", "deploy", "delete"],
  ["ROLLBACK_IN_PROGRESS", "wait", "wait"],
  ["ROLLBACK_FAILED", "replace", "delete"],
  ["ROLLBACK_COMPLETE", "replace", "delete"],
  ["DELETE_IN_PROGRESS", "wait", "wait"],
  ["DELETE_FAILED", "replace", "delete"],
  ["UPDATE_IN_PROGRESS", "wait", "wait"],
  ["UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "wait", "wait"],
  ["UPDATE_COMPLETE", "deploy", "delete"],
  ["UPDATE_FAILED", "roll-back", "delete"],
  ["UPDATE_ROLLBACK_IN_PROGRESS", "wait", "wait"],
  ["UPDATE_ROLLBACK_FAILED", "roll-back", "delete"],
  ["UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", "wait", "wait"],
  ["UPDATE_ROLLBACK_COMPLETE", "deploy", "delete"],
  ["REVIEW_IN_PROGRESS", "replace", "delete"],
  ["IMPORT_IN_PROGRESS", "wait", "wait"],
  ["IMPORT_COMPLETE", "deploy", "delete"],
  ["IMPORT_ROLLBACK_IN_PROGRESS", "wait", "wait"],
  ["IMPORT_ROLLBACK_FAILED", "deploy", "delete"],
  ["IMPORT_ROLLBACK_COMPLETE", "deploy", "delete"],
];

describe.each(MOVES)("a stack in state %s", (status, forDeploy, forDestroy) => {
  it(`is met by ${forDeploy} when it is deployed`, () => {
    expect(moveForDeploy(status)).toBe(forDeploy);
  });

  it(`is met by ${forDestroy} when it is destroyed`, () => {
    expect(moveForDestroy(status)).toBe(forDestroy);
  });
});

describe("requireOurs", () => {
  const stack = (tags: Record<string, string>, status = "CREATE_COMPLETE"): StackState => ({
    name: "speech-kokoro-82m-endpoint",
    id: "id",
    status,
    reason: undefined,
    updatedAt: undefined,
    outputs: {},
    tags,
  });
  const OURS = { [TAGS.productKey]: TAGS.product, [TAGS.stageKey]: "dev" };

  it("takes a stack of this product and stage, one in review, and none", () => {
    requireOurs(stack(OURS), "dev");
    requireOurs(stack({}, "REVIEW_IN_PROGRESS"), "dev");
    requireOurs(undefined, "dev");
  });

  it.each([
    ["without tags", {}],
    ["of another product", { ...OURS, [TAGS.productKey]: "other" }],
    ["of another stage", { ...OURS, [TAGS.stageKey]: "main" }],
  ])("fails for a stack %s", (_which, tags) => {
    expect(() => requireOurs(stack(tags), "dev")).toThrow(/was not made by this program .*is left alone/);
  });
});
