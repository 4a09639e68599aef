/** `agent-infra permissions`: flags only. */
import { Command } from "commander";
import { agentNames } from "../../lib/config/deployment-names.ts";
import { type PermissionOptions, permissionOptions, policyPlace, showPolicy } from "../permission-lines.ts";
import type { CliContext } from "../run.ts";

export function permissionsCommand(context: CliContext): Command {
  const command = new Command("permissions").description(
    "The least IAM policy for deploying and operating the agent, as JSON. Needs no credentials.",
  );
  for (const option of permissionOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  agent-infra permissions --region eu-west-1 --account 123456789012 > policy.json
  agent-infra permissions --for cloudformation --reasons`,
    )
    .action(async (options: PermissionOptions) => {
      const names = agentNames(options.stage);
      const place = policyPlace(options, context);
      const [{ agentDeployer }, { agentCloudFormation }] = await Promise.all([
        import("../../lib/deploy/permissions/deployer.ts"),
        import("../../lib/deploy/permissions/cloudformation.ts"),
      ]);
      const permissions = options.for === "deployer" ? agentDeployer : agentCloudFormation;
      await showPolicy(permissions(names, place, options.qualifier), options, context);
    });
}
