/** `speech-infra list`: flags only; list-run.ts does the work. */
import { Command } from "commander";
import type { AwsOptions } from "../aws-selection.ts";
import { jsonOption, profileOption, regionOption, unaskedOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { runList } from "./list-run.ts";

export function listCommand(context: CliContext): Command {
  return new Command("list")
    .description(
      "The catalog: what can be deployed, and what is, in every stage of this account and region. Without " +
        "credentials the catalog alone.",
    )
    .addOption(regionOption())
    .addOption(profileOption())
    .addOption(unaskedOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-infra list
  speech-infra list --region eu-west-1 --json`,
    )
    .action((options: AwsOptions) => runList(options, context));
}
