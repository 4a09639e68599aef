/** `diff` and `synth` as both tools have them. */

import type { StackChanges } from "../lib/deploy/stack-diff.ts";
import type { Operation } from "../lib/deploy/stack-session.ts";
import { type DeploymentOptions, placeOf } from "./deployment-run.ts";
import { ExitWith } from "./exit-with.ts";
import type { CliContext } from "./run.ts";

export interface DiffOptions extends DeploymentOptions {
  readonly fail: boolean;
}

/** As `cdk diff --fail` ends when there are changes. */
const CHANGES_EXIT_CODE = 1;

/** With --fail the exit code says whether there are changes. */
export async function tellDiff(
  options: DiffOptions,
  context: CliContext,
  diff: (operation: Operation) => Promise<readonly StackChanges[]>,
): Promise<void> {
  const { output, signal } = context;
  output.status("Comparing with what is deployed ...");
  const place = await placeOf(options, context);
  const stacks = await diff({ place, observe: () => {}, signal });
  const changed = stacks.filter((stack) => stack.changed);
  output.result({
    account: place.account,
    region: place.region,
    changed: changed.length > 0,
    stacks: stacks.map(({ stack, changed, resources }) => ({ stack, changed, resources })),
  });
  for (const { text } of changed) output.line(`${text}\n`);
  output.line(
    changed.length === 0
      ? "No changes: what is deployed is what would be deployed."
      : `${changed.length} of ${stacks.length} stacks would change.`,
  );
  if (options.fail && changed.length > 0) throw new ExitWith(CHANGES_EXIT_CODE);
}

export interface SynthOptions {
  readonly out: string;
}

/** The templates' names in the folder, told. */
export function tellTemplates(folder: string, stacks: readonly string[], { output }: CliContext): void {
  output.result({ folder, templates: stacks.map((stack) => `${stack}.template.json`) });
  for (const stack of stacks) output.line(`${folder}/${stack}.template.json`);
}
