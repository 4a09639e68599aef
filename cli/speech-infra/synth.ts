/** `speech-infra synth`: flags only; synth-run.ts does the work. */
import { Command } from "commander";
import { accountRuleOptions, capacityOptions, imageOptions, outOption } from "../deploy-options.ts";
import {
  addOptions,
  jsonOption,
  profileOption,
  regionOption,
  stageOption,
  unaskedOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { modelArgument } from "./model-argument.ts";
import { runSynth, type SpeechSynthOptions } from "./synth-run.ts";

export function synthCommand(context: CliContext): Command {
  const command = new Command("synth")
    .description("Write the CloudFormation templates; needs no credentials and no network.")
    .addArgument(modelArgument());
  return addOptions(command, [
    stageOption(),
    ...capacityOptions(),
    ...imageOptions(),
    ...accountRuleOptions(),
    outOption(),
    regionOption(),
    profileOption(),
    unaskedOption(),
    jsonOption(),
  ])
    .addHelpText(
      "after",
      `
Examples:
  speech-infra synth kokoro-82m --out templates
  speech-infra synth kokoro-82m-cpu --stage dev --json`,
    )
    .action((model: string, options: SpeechSynthOptions) => runSynth(model, options, context));
}
