/** Brings one stack to its template, or away, from whatever state it is found in. */
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SpeechError } from "../../errors.ts";
import type { AwsPlace } from "../aws-clients.ts";
import type { DeployObserver } from "../progress.ts";
import { readStack, type StackState } from "../stack-state.ts";
import { stackFailure } from "./stack-failure.ts";
import { moveForDeploy, moveForDestroy, requireOurs } from "./stack-moves.ts";
import { settled } from "./stack-settling.ts";
import type { StackToolkit } from "./stack-toolkit.ts";

export interface StackWork {
  readonly toolkit: StackToolkit;
  readonly client: CloudFormationClient;
  readonly place: AwsPlace;
  readonly stage: string;
  readonly observe: DeployObserver;
  readonly signal: AbortSignal;
  readonly pollMs: number;
  /** Commands to type, for messages: after a mended failure, and to start from nothing. */
  readonly deployCommand: string;
  readonly destroyCommand: string;
}

export interface StackChoice {
  /** What runs in it is beyond repair: delete the stack first. */
  readonly replace?: boolean;
}

export interface DeployedStack {
  readonly changed: boolean;
  readonly state: StackState;
}

/** Others may be at the same stack; each wait may end in another state. More than this is no coincidence. */
const MOVES_MAX = 8;

/** @throws {SpeechError} DEPLOYMENT_FAILED with the first failing resource; CONFIGURATION for somebody else's stack. */
export async function deployStack(
  name: string,
  work: StackWork,
  choice: StackChoice = {},
): Promise<DeployedStack> {
  const { toolkit, client, place, signal } = work;
  let replace = choice.replace ?? false;
  for (let moves = 0; moves < MOVES_MAX; moves++) {
    const state = await readStack(client, place.region, name, signal);
    requireOurs(state, work.stage);
    const move = moveForDeploy(state?.status);
    if (move === "wait") {
      await settled(state!, work);
    } else if (state !== undefined && (replace || move === "replace")) {
      await destroyStack(name, work);
      replace = false;
    } else if (move === "roll-back") {
      replace = !(await rolledBack(name, work));
    } else {
      const failure = await attempt(toolkit.deploy(name), signal);
      const now = await readStack(client, place.region, name, signal);
      if (failure.error === undefined && now !== undefined && moveForDeploy(now.status) === "deploy") {
        return { changed: !failure.value!, state: now };
      }
      // Somebody else was quicker by a moment.
      if (now?.status.endsWith("_IN_PROGRESS") && now.status !== "REVIEW_IN_PROGRESS") continue;
      throw await stackFailure(
        client,
        { stack: name, verb: "deploy", next: work.deployCommand },
        failure.error,
      );
    }
  }
  throw new SpeechError(
    "DEPLOYMENT_FAILED",
    `${name} does not come to rest; another deployment is at it; next: ${work.deployCommand}`,
  );
}

/** @returns false when there was nothing. @throws {SpeechError} DEPLOYMENT_FAILED */
export async function destroyStack(name: string, work: StackWork): Promise<boolean> {
  const { toolkit, client, place, signal } = work;
  let existed = false;
  let error: unknown;
  // The first deletion can meet an endpoint that is busy starting; the second finds it at rest.
  for (let deletions = 0, moves = 0; moves < MOVES_MAX; moves++) {
    const state = await readStack(client, place.region, name, signal);
    requireOurs(state, work.stage);
    const move = moveForDestroy(state?.status);
    if (move === "nothing") return existed;
    existed = true;
    if (move === "wait") {
      await settled(state!, work);
      continue;
    }
    if (deletions++ === 2) break;
    ({ error } = await attempt(toolkit.destroy(name), signal));
  }
  throw await stackFailure(client, { stack: name, verb: "delete", next: work.destroyCommand }, error);
}

/** @returns false when the rollback got stuck again. */
async function rolledBack(
  name: string,
  { toolkit, client, place, signal, observe }: StackWork,
): Promise<boolean> {
  observe({ kind: "waiting", what: `${name} is stuck in an old rollback; continuing it` });
  await attempt(toolkit.rollBack(name), signal);
  const state = await readStack(client, place.region, name, signal);
  return moveForDeploy(state?.status) !== "roll-back";
}

/** The toolkit's failures are judged by the stack's state; cancelling is not one. */
async function attempt<T>(work: Promise<T>, signal: AbortSignal): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await work };
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}
