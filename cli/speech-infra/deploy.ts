/** `speech-infra deploy`: flags only; deploy-run.ts does the work. */
import { Command } from "commander";
import {
  accountOption,
  accountRuleOptions,
  bootstrapOption,
  capacityOptions,
  dryRunOption,
  imageOptions,
  verboseDeployOption,
  yesOption,
} from "../deploy-options.ts";
import { addOptions, jsonOption, profileOption, regionOption, stageOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runDeploy, type SpeechDeployOptions } from "./deploy-run.ts";
import { modelArgument } from "./model-argument.ts";

export function deployCommand(context: CliContext): Command {
  const command = new Command("deploy")
    .description(
      "Put speech on AWS: image, weights and a SageMaker endpoint. Run it again to go on where it stopped, or to " +
        "change what is deployed.",
    )
    .addArgument(modelArgument());
  return addOptions(command, [
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
    ...capacityOptions(),
    ...imageOptions(),
    ...accountRuleOptions(),
    bootstrapOption(),
    dryRunOption(),
    yesOption(),
    verboseDeployOption(),
    jsonOption(),
  ])
    .addHelpText(
      "after",
      `
Examples:
  speech-infra deploy kokoro-82m --dry-run          what stands in the way, if anything
  speech-infra deploy kokoro-82m --region us-east-1
  speech-infra deploy kokoro-82m-cpu --stage dev --min 1 --max 4
  speech-infra deploy kokoro-82m --yes --json       in a pipeline`,
    )
    .action((model: string, options: SpeechDeployOptions) => runDeploy(model, options, context));
}
