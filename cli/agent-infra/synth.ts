/** `agent-infra synth`: flags only; synth-run.ts does the work. */
import { Command } from "commander";
import { accountRuleOptions, deployedModelOptions, imageOptions, outOption } from "../deploy-options.ts";
import {
  addOptions,
  jsonOption,
  profileOption,
  regionOption,
  stageOption,
  unaskedOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { type AgentSynthOptions, runSynth } from "./synth-run.ts";

export function synthCommand(context: CliContext): Command {
  const command = new Command("synth").description(
    "Write the CloudFormation templates; needs no credentials and no network.",
  );
  return addOptions(command, [
    ...deployedModelOptions(),
    stageOption(),
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
  agent-infra synth --bedrock-model-id ID --out templates`,
    )
    .action((options: AgentSynthOptions) => runSynth(options, context));
}
