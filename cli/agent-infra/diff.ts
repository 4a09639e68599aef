/** `agent-infra diff`: flags only; diff-run.ts does the work. */
import { Command } from "commander";
import {
  accountOption,
  accountRuleOptions,
  deployedModelOptions,
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
import { type AgentDiffOptions, runDiff } from "./diff-run.ts";

export function diffCommand(context: CliContext): Command {
  const command = new Command("diff").description(
    "Show what a deploy would change, against what is deployed; nothing is changed.",
  );
  return addOptions(command, [
    ...deployedModelOptions(),
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
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
  agent-infra diff --bedrock-model-id ID
  agent-infra diff --bedrock-model-id ID --fail      exit code 1 when something would change`,
    )
    .action((options: AgentDiffOptions) => runDiff(options, context));
}
