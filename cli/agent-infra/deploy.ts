/** `agent-infra deploy`: flags only; deploy-run.ts does the work. */
import { Command } from "commander";
import {
  accountOption,
  accountRuleOptions,
  bootstrapOption,
  deployedModelOptions,
  dryRunOption,
  imageOptions,
  verboseDeployOption,
  yesOption,
} from "../deploy-options.ts";
import { addOptions, jsonOption, profileOption, regionOption, stageOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { type AgentDeployOptions, runDeploy } from "./deploy-run.ts";

export function deployCommand(context: CliContext): Command {
  const command = new Command("deploy").description(
    "Put the voice agent on AgentCore Runtime, beside a speech endpoint that is there. Run it again to go on where " +
      "it stopped, or to change what is deployed.",
  );
  return addOptions(command, [
    ...deployedModelOptions(),
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
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
  agent-infra deploy --bedrock-model-id eu.amazon.nova-lite-v1:0 --dry-run
  agent-infra deploy --bedrock-model-id eu.amazon.nova-lite-v1:0 --region eu-west-1
  agent-infra deploy --bedrock-model-id ID --stage dev --speech-endpoint speech-kokoro-82m
  agent-infra deploy --bedrock-model-id ID --yes --json    in a pipeline`,
    )
    .action((options: AgentDeployOptions) => runDeploy(options, context));
}
