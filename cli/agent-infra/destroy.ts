/** `agent-infra destroy`: flags only; destroy-run.ts does the work. */
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
import { type AgentDestroyOptions, runDestroy } from "./destroy-run.ts";

export function destroyCommand(context: CliContext): Command {
  const command = new Command("destroy").description(
    "Take the agent down, whatever state it is in; speech stays. Image repository and logs are kept for the next " +
      "deployment, unless --purge.",
  );
  return addOptions(command, [
    new Option("--bedrock-model-id <id>", "as deploy takes it; not needed"),
    stageOption(),
    regionOption(),
    profileOption(),
    accountOption(),
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
  agent-infra destroy
  agent-infra destroy --stage dev --purge       images and logs too
  agent-infra destroy --yes --json              in a pipeline`,
    )
    .action((options: AgentDestroyOptions) => runDestroy(options, context));
}
