/** A stack as CloudFormation describes it, and what its outputs say. */
import { type CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { SpeechError } from "../errors.ts";
import { asking } from "./aws-failure.ts";

export interface StackState {
  readonly name: string;
  /** Its ARN: finds the stack also when it is deleted. */
  readonly id: string;
  /** CREATE_COMPLETE, UPDATE_ROLLBACK_FAILED, ... */
  readonly status: string;
  readonly reason: string | undefined;
  readonly updatedAt: Date | undefined;
  readonly outputs: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** @returns undefined when there is no such stack. */
export async function readStack(
  client: CloudFormationClient,
  region: string,
  name: string,
  signal: AbortSignal,
): Promise<StackState | undefined> {
  return await asking("cloudformation:DescribeStacks", region, signal, async () => {
    try {
      const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }), {
        abortSignal: signal,
      });
      const [stack] = Stacks ?? [];
      // Asked for by its ARN, a stack that is gone still answers.
      return stack === undefined || stack.StackStatus === "DELETE_COMPLETE" ? undefined : stackState(stack);
    } catch (cause) {
      if (saysNoStack(cause)) return undefined;
      throw cause;
    }
  });
}

export function stackState(stack: Stack): StackState {
  return {
    name: stack.StackName ?? "",
    id: stack.StackId ?? "",
    status: stack.StackStatus ?? "",
    reason: stack.StackStatusReason,
    updatedAt: stack.LastUpdatedTime ?? stack.CreationTime,
    outputs: Object.fromEntries(
      (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey!, OutputValue!]),
    ),
    tags: Object.fromEntries((stack.Tags ?? []).map(({ Key, Value }) => [Key!, Value!])),
  };
}

/** CloudFormation has no error code of its own for it. */
function saysNoStack(cause: unknown): boolean {
  return cause instanceof Error && /does not exist/.test(cause.message);
}

/**
 * @param next command that makes the stack.
 * @throws {SpeechError} STACK_NOT_DEPLOYED when the stack, or its output, is not there.
 */
export function requireOutput(
  stack: StackState | undefined,
  stackName: string,
  key: string,
  next: string,
): string {
  const value = stack?.outputs[key];
  if (value !== undefined) return value;
  throw new SpeechError(
    "STACK_NOT_DEPLOYED",
    stack === undefined
      ? `there is no stack ${stackName} in this account and region; run ${next}`
      : `the stack ${stackName} (${stack.status}) has no output ${key}; run ${next}`,
    { details: { stack: stackName } },
  );
}
