/** What a destruction is going to do, and what it did. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { clientOptions } from "./aws-clients.ts";
import type { KeptName } from "./kept/kept-names.ts";
import { findKept, type KeptResource } from "./kept/kept-resources.ts";
import { purge } from "./kept/purge.ts";
import type { Operation } from "./stack-session.ts";
import { readStack, type StackState } from "./stack-state.ts";
import type { StepReport, Steps } from "./steps.ts";
import { requireOurs } from "./toolkit/stack-moves.ts";

export interface DestructionPlan {
  /** Stacks that are there, in the order in which they go. */
  readonly stacks: readonly { readonly name: string; readonly status: string }[];
  /** What would stay, or be purged. */
  readonly kept: readonly KeptResource[];
}

export interface Destruction {
  readonly stage: string;
  readonly region: string;
  readonly account: string;
  readonly steps: readonly StepReport[];
  /** What is still there. */
  readonly kept: readonly KeptResource[];
  readonly purged: readonly KeptName[];
}

/**
 * @param names in the order in which they go.
 * @returns of each its state; undefined where there is no such stack.
 * @throws {SpeechError} CONFIGURATION when one is not ours.
 */
export async function findOwnStacks(
  names: readonly string[],
  stage: string,
  { place, signal }: Operation,
): Promise<(StackState | undefined)[]> {
  const client = new CloudFormationClient(clientOptions(place));
  const found = await Promise.all(names.map((name) => readStack(client, place.region, name, signal)));
  for (const stack of found) requireOurs(stack, stage);
  return found;
}

export async function destructionPlan(
  found: readonly (StackState | undefined)[],
  stage: string,
  keptNames: readonly KeptName[],
  { place, signal }: Operation,
): Promise<DestructionPlan> {
  return {
    stacks: found.filter((stack) => stack !== undefined).map(({ name, status }) => ({ name, status })),
    kept: await findKept(place, stage, keptNames, signal),
  };
}

/**
 * After the stacks are gone: purges what was kept, or finds it.
 * @param purgeToo delete what is kept as well.
 */
export async function concludeDestruction(
  stage: string,
  keptNames: readonly KeptName[],
  { steps, purgeToo }: { readonly steps: Steps; readonly purgeToo: boolean },
  { place, observe, signal }: Operation,
): Promise<Destruction> {
  const purged = purgeToo ? await purge(place, stage, keptNames, { steps, observe, signal }) : [];
  return {
    stage,
    region: place.region,
    account: place.account,
    steps: steps.reports,
    kept: await findKept(place, stage, keptNames, signal),
    purged,
  };
}
