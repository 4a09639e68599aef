/** `speech-infra deploy`: flags only; deploy-run.ts does the work. */
import { Argument, Command } from "commander";
import {
  accountOption,
  accountRuleOptions,
  bootstrapOption,
  capacityOptions,
  dryRunOption,
  imageOptions,
  MODEL_ARGUMENT,
  verboseDeployOption,
  yesOption,
} from "../deploy-options.ts";
import { addOptions, jsonOption, profileOption, regionOption, stageOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runDeploy, type SpeechDeployOptions } from "./deploy-run.ts";

export function deployCommand(context: CliContext): Command {
  const command = new Command("deploy")
    .description(
      "Put speech on AWS: image, weights and a SageMaker endpoint. Run it again to go on where it stopped, or to " +
        "change what is deployed.",
    )
    .addArgument(new Argument("[model]", MODEL_ARGUMENT).default("kokoro-82m"));
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
