/** `speech-infra destroy`: flags only; destroy-run.ts does the work. */
import { Command, Option } from "commander";
import {
  accountOption,
  purgeOption,
  qualifierOption,
  verboseDeployOption,
  yesOption,
} from "../deploy-options.ts";
import { addOptions, jsonOption, profileOption, regionOption, stageOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runDestroy, type SpeechDestroyOptions } from "./destroy-run.ts";
import { modelArgument } from "./model-argument.ts";

export function destroyCommand(context: CliContext): Command {
  const command = new Command("destroy")
    .description(
      "Take speech down, whatever state it is in. The bucket of weights, the image repository and the logs are kept " +
        "for the next deployment, unless --purge.",
    )
    .addArgument(modelArgument());
  return addOptions(command, [
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
    new Option("--force", "also while an agent speaks through it").default(false),
    purgeOption(),
    qualifierOption(),
    yesOption(),
    verboseDeployOption(),
    jsonOption(),
  ])
    .addHelpText(
      "after",
      `
Examples:
  speech-infra destroy kokoro-82m
  speech-infra destroy kokoro-82m --stage dev --purge    weights, images and logs too
  speech-infra destroy kokoro-82m --yes --json           in a pipeline`,
    )
    .action((model: string, options: SpeechDestroyOptions) => runDestroy(model, options, context));
}
