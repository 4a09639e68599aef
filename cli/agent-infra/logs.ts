/** `agent-infra logs`: flags only; logs-run.ts does the work. */
import { Command } from "commander";
import { type LogOptions, logOptions } from "../log-lines.ts";
import { awsOptions } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runAgentLogs } from "./logs-run.ts";

export function logsCommand(context: CliContext): Command {
  const command = new Command("logs").description(
    "Lines that the agent's containers log, or with --build those of an image build.",
  );
  for (const option of [...logOptions(), ...awsOptions()]) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  agent-infra logs -f
  agent-infra logs --since 2h --stage dev`,
    )
    .action((options: LogOptions) => runAgentLogs(options, context));
}
