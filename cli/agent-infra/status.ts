/** `agent-infra status`: flags only; status-run.ts does the work. */
import { Command } from "commander";
import type { StageOptions } from "../aws-selection.ts";
import { awsOptions } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runAgentStatus } from "./status-run.ts";

export function statusCommand(context: CliContext): Command {
  const command = new Command("status").description(
    "How the deployed agent is: stacks, runtime and its endpoint, what differs from this machine's source. Changes " +
      "nothing.",
  );
  for (const option of awsOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Exit codes: 0 healthy, 3 in progress, 4 unhealthy, 5 not deployed; 1 and 2 when it could not be found out.

Examples:
  agent-infra status
  agent-infra status --stage dev --json`,
    )
    .action((options: StageOptions) => runAgentStatus(options, context));
}
