/** `speech-infra status`: flags only; status-run.ts does the work. */
import { Command } from "commander";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import type { StageOptions } from "../aws-selection.ts";
import { awsOptions } from "../options.ts";
import type { CliContext } from "../run.ts";
import { modelArgument } from "./model-argument.ts";
import { runSpeechStatus } from "./status-run.ts";

export function statusCommand(context: CliContext): Command {
  const command = new Command("status")
    .description(
      "How the deployed speech is: stacks, endpoint, scaling, alarms that ring, what differs from this machine's " +
        "source. Changes nothing.",
    )
    .addArgument(modelArgument());
  for (const option of awsOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Exit codes: 0 healthy, 3 in progress, 4 unhealthy, 5 not deployed; 1 and 2 when it could not be found out.

Examples:
  speech-infra status
  speech-infra status kokoro-82m-cpu --stage dev --region eu-west-1
  speech-infra status --json > status.json`,
    )
    .action((modelId: SpeechModelId, options: StageOptions) => runSpeechStatus(modelId, options, context));
}
