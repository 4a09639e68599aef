/** What a deployment would change, against the deployed templates; nothing is made, not even a change set. */
import type { speechApp } from "../../stacks/speech-app.ts";
import { pollIntervalMs } from "./aws-clients.ts";
import type { Operation } from "./stack-session.ts";
import { StackToolkit } from "./toolkit/stack-toolkit.ts";

export interface StackChanges {
  readonly stack: string;
  readonly changed: boolean;
  /** Logical ids of what would be made, changed, replaced or removed. */
  readonly resources: readonly string[];
  /** For people. */
  readonly text: string;
}

export async function diffStacks(
  stacks: readonly string[],
  { place, observe, signal }: Operation,
  build: (
    outdir: string | undefined,
    context: Record<string, unknown> | undefined,
  ) => ReturnType<typeof speechApp>,
): Promise<StackChanges[]> {
  const pollMs = pollIntervalMs(place);
  await using toolkit = await StackToolkit.open(build, { observe, signal, pollMs, consent: false });
  const diffs = await toolkit.diff(stacks);
  return diffs.map(({ stack, diffs: templates, numStacksWithChanges, formattedDiff }) => ({
    stack: stack.stackName,
    changed: numStacksWithChanges > 0,
    resources: Object.values(templates).flatMap(({ resources }) =>
      Object.keys(resources?.changes ?? {}).sort(),
    ),
    text: formattedDiff.diff.trimEnd(),
  }));
}
