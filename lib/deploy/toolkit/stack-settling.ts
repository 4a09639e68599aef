/** Waits for an operation that this process did not start, or has started and lost sight of. */
import { setTimeout as delay } from "node:timers/promises";
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { AwsPlace } from "../aws-clients.ts";
import type { DeployObserver } from "../progress.ts";
import { readStack, type StackState } from "../stack-state.ts";
import { lastOperation, resourceProgress } from "./stack-events.ts";

export interface Settling {
  readonly client: CloudFormationClient;
  readonly place: AwsPlace;
  readonly observe: DeployObserver;
  readonly signal: AbortSignal;
  readonly pollMs: number;
}

/** @returns the stack at rest, undefined when it is gone. */
export async function settled(
  stack: StackState,
  { client, place, observe, signal, pollMs }: Settling,
): Promise<StackState | undefined> {
  let told = 0;
  for (;;) {
    // By its id: a stack that was deleted meanwhile must not be taken for a new one of the same name.
    const now = await readStack(client, place.region, stack.id, signal);
    if (now === undefined || !now.status.endsWith("_IN_PROGRESS")) return now;
    if (now.status === "REVIEW_IN_PROGRESS") return now;
    observe({
      kind: "waiting",
      what: `${stack.name} is ${now.status}, begun elsewhere; waiting for its end`,
    });
    const progress = resourceProgress(await lastOperation(client, stack.id));
    for (const event of progress.slice(told)) observe(event);
    told = progress.length;
    await delay(pollMs, undefined, { signal });
  }
}
