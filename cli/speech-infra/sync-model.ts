/** `speech-infra sync-model`: flags only; sync-model-run.ts does the work. */
import { Command } from "commander";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import type { StageOptions } from "../aws-selection.ts";
import { awsOptions } from "../options.ts";
import type { CliContext } from "../run.ts";
import { modelArgument } from "./model-argument.ts";
import { runSyncModel } from "./sync-model-run.ts";

export function syncModelCommand(context: CliContext): Command {
  const command = new Command("sync-model")
    .description(
      "Bring the prepared weights into the bucket of a deployment. Only what is missing or different is sent; a sync " +
        "that broke off goes on where it stopped. `deploy` does this too.",
    )
    .addArgument(modelArgument());
  for (const option of awsOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  speech-infra sync-model
  speech-infra sync-model kokoro-82m-cpu --stage dev`,
    )
    .action((modelId: SpeechModelId, options: StageOptions) => runSyncModel(modelId, options, context));
}
