/** What a stack's events tell: how far an operation is, and which resource failed first. */
import {
  type CloudFormationClient,
  paginateDescribeStackEvents,
  type StackEvent,
} from "@aws-sdk/client-cloudformation";
import type { DeployProgress } from "../progress.ts";

export interface StackFailure {
  readonly stack: string;
  readonly resource: string;
  readonly resourceType: string;
  readonly reason: string;
}

/** Events of the stack's last operation, oldest first. */
export async function lastOperation(
  client: CloudFormationClient,
  stackNameOrId: string,
): Promise<StackEvent[]> {
  const events: StackEvent[] = [];
  for await (const page of paginateDescribeStackEvents({ client }, { StackName: stackNameOrId })) {
    for (const event of page.StackEvents ?? []) {
      events.unshift(event);
      if (beginsOperation(event)) return events;
    }
  }
  return events;
}

function isStackItself(event: StackEvent): boolean {
  return event.PhysicalResourceId === event.StackId;
}

function beginsOperation(event: StackEvent): boolean {
  return (
    isStackItself(event) && /^(CREATE|UPDATE|DELETE|IMPORT)_IN_PROGRESS$/.test(event.ResourceStatus ?? "")
  );
}

/** The first resource that failed by itself; what was cancelled because of it says nothing. */
export function firstFailure(events: readonly StackEvent[]): StackFailure | undefined {
  const failed = events.filter((event) => event.ResourceStatus?.endsWith("_FAILED"));
  const own = failed.find((event) => !isStackItself(event) && !/cancelled/i.test(reasonOf(event)));
  const event = own ?? failed.find(isStackItself) ?? failed[0];
  if (event === undefined) return undefined;
  return {
    stack: event.StackName!,
    resource: event.LogicalResourceId ?? event.StackName!,
    resourceType: event.ResourceType ?? "",
    reason: reasonOf(event) || "CloudFormation gives no reason",
  };
}

function reasonOf(event: StackEvent): string {
  return (event.ResourceStatusReason ?? "").replace(/\s+/g, " ").trim();
}

/** @param events oldest first. */
export function resourceProgress(events: readonly StackEvent[]): DeployProgress[] {
  const done = new Set<string>();
  const seen = new Set<string>();
  const progress: DeployProgress[] = [];
  for (const event of events) {
    if (isStackItself(event)) continue;
    const resource = event.LogicalResourceId ?? "";
    seen.add(resource);
    if (/_(COMPLETE|FAILED|SKIPPED)$/.test(event.ResourceStatus ?? "")) done.add(resource);
    progress.push({
      kind: "resource",
      stack: event.StackName!,
      resource,
      resourceType: event.ResourceType ?? "",
      status: event.ResourceStatus ?? "",
      ...(event.ResourceStatusReason !== undefined && { reason: event.ResourceStatusReason }),
      completed: done.size,
      total: seen.size,
    });
  }
  return progress;
}
