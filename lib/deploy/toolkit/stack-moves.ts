/**
 * The states a stack can be found in, and what a deployment or a destruction does about each. Nobody cleans up after a
 * process that was killed, so every state of CloudFormation's list is met one day
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html).
 */
import { TAGS } from "../../config/deployment-names.ts";
import { SpeechError } from "../../errors.ts";
import type { StackState } from "../stack-state.ts";

/**
 * deploy: a change set makes or changes it. replace: it can only be deleted, then made anew; what it kept is adopted.
 * roll-back: an update's rollback got stuck and is continued. wait: somebody, or a command of ours that was killed, is at it.
 */
export type DeployMove = "deploy" | "replace" | "roll-back" | "wait";

export function moveForDeploy(status: string | undefined): DeployMove {
  if (status === undefined) return "deploy";
  if (status === "REVIEW_IN_PROGRESS") return "replace";
  if (status.endsWith("_IN_PROGRESS")) return "wait";
  if (status === "UPDATE_ROLLBACK_FAILED" || status === "UPDATE_FAILED") return "roll-back";
  // CREATE_FAILED, ROLLBACK_COMPLETE, ROLLBACK_FAILED, DELETE_FAILED
  if (/^(CREATE_FAILED|ROLLBACK_|DELETE_)/.test(status)) return "replace";
  return "deploy";
}

export type DestroyMove = "nothing" | "delete" | "wait";

export function moveForDestroy(status: string | undefined): DestroyMove {
  if (status === undefined) return "nothing";
  // A creation can be cut short, a review has made nothing; nothing else can be deleted while it is under way.
  if (status === "CREATE_IN_PROGRESS" || status === "REVIEW_IN_PROGRESS") return "delete";
  return status.endsWith("_IN_PROGRESS") ? "wait" : "delete";
}

/**
 * A stack of our name that somebody else made is neither changed nor deleted. One in review has no tags and no
 * resources yet.
 * @throws {SpeechError} CONFIGURATION
 */
export function requireOurs(stack: StackState | undefined, stage: string): void {
  if (stack === undefined || stack.status === "REVIEW_IN_PROGRESS") return;
  const { tags, name } = stack;
  if (tags[TAGS.productKey] === TAGS.product && tags[TAGS.stageKey] === stage) return;
  throw new SpeechError(
    "CONFIGURATION",
    `the stack ${name} was not made by this program for the stage "${stage}" (its tags say so), and is left alone; ` +
      "choose another --stage",
  );
}
