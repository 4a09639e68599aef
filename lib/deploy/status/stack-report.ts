/** The stacks of one side, and why the last operation of one failed. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { readStack, type StackState } from "../stack-state.ts";
import { firstFailure, lastOperation } from "../toolkit/stack-events.ts";
import { hasFailedOperation } from "./health.ts";

export interface StackReport {
  readonly name: string;
  /** undefined: not there. */
  readonly status?: string;
  readonly updatedAt?: string;
}

export class StackReader {
  readonly client: CloudFormationClient;
  readonly #region: string;
  readonly #signal: AbortSignal;

  constructor(place: AwsPlace, signal: AbortSignal) {
    this.client = new CloudFormationClient(clientOptions(place));
    this.#region = place.region;
    this.#signal = signal;
  }

  read(name: string): Promise<StackState | undefined> {
    return readStack(this.client, this.#region, name, this.#signal);
  }

  /** `Endpoint (AWS::SageMaker::Endpoint): no capacity`, of the first stack whose last operation failed. */
  async lastError(stacks: readonly (StackState | undefined)[]): Promise<string | undefined> {
    const failed = stacks.find((stack) => stack !== undefined && hasFailedOperation(stack.status));
    if (failed === undefined) return undefined;
    const events = await asking("cloudformation:DescribeStackEvents", this.#region, this.#signal, () =>
      lastOperation(this.client, failed.id),
    );
    const failure = firstFailure(events);
    return failure === undefined
      ? failed.reason
      : `${failure.resource} (${failure.resourceType}): ${failure.reason}`;
  }
}

export function stackReport(name: string, stack: StackState | undefined): StackReport {
  return {
    name,
    ...(stack !== undefined && {
      status: stack.status,
      ...(stack.updatedAt !== undefined && { updatedAt: stack.updatedAt.toISOString() }),
    }),
  };
}
