/** `speech-infra logs`: flags only. */
import { Command } from "commander";
import { speechNames } from "../../lib/config/deployment-names.ts";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import { selectAws } from "../aws-selection.ts";
import { type LogOptions, logOptions, showLogs } from "../log-lines.ts";
import { awsOptions } from "../options.ts";
import type { CliContext } from "../run.ts";
import { modelArgument } from "./model-argument.ts";

export function logsCommand(context: CliContext): Command {
  const command = new Command("logs")
    .description("Lines that the endpoint's containers log, or with --build those of an image build.")
    .addArgument(modelArgument());
  for (const option of [...logOptions(), ...awsOptions()]) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  speech-infra logs -f
  speech-infra logs kokoro-82m --since 2h --stage dev
  speech-infra logs --build`,
    )
    .action(async (modelId: SpeechModelId, options: LogOptions) => {
      const { logGroup, buildLogGroup } = speechNames(modelId, options.stage);
      const place = await selectAws(options, context);
      await showLogs([options.build ? buildLogGroup : logGroup], options, place, context);
    });
}
