/** `speech-infra diff`: flags only; diff-run.ts does the work. */
import { Command } from "commander";
import {
  accountOption,
  accountRuleOptions,
  capacityOptions,
  failOption,
  imageOptions,
} from "../deploy-options.ts";
import {
  addOptions,
  jsonOption,
  profileOption,
  regionOption,
  stageOption,
  unaskedOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { runDiff, type SpeechDiffOptions } from "./diff-run.ts";
import { modelArgument } from "./model-argument.ts";

export function diffCommand(context: CliContext): Command {
  const command = new Command("diff")
    .description("Show what a deploy would change, against what is deployed; nothing is changed.")
    .addArgument(modelArgument());
  return addOptions(command, [
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
    ...capacityOptions(),
    ...imageOptions(),
    ...accountRuleOptions(),
    failOption(),
    unaskedOption(),
    jsonOption(),
  ])
    .addHelpText(
      "after",
      `
Examples:
  speech-infra diff kokoro-82m
  speech-infra diff kokoro-82m --max 4 --fail      exit code 1 when something would change`,
    )
    .action((model: string, options: SpeechDiffOptions) => runDiff(model, options, context));
}
