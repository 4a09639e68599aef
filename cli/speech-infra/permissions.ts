/** `speech-infra permissions`: flags only. */
import { Command } from "commander";
import { speechNames } from "../../lib/config/deployment-names.ts";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import { type PermissionOptions, permissionOptions, policyPlace, showPolicy } from "../permission-lines.ts";
import type { CliContext } from "../run.ts";
import { modelArgument } from "./model-argument.ts";

export function permissionsCommand(context: CliContext): Command {
  const command = new Command("permissions")
    .description("The least IAM policy for deploying and operating speech, as JSON. Needs no credentials.")
    .addArgument(modelArgument());
  for (const option of permissionOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  speech-infra permissions --region eu-west-1 --account 123456789012 > policy.json
  speech-infra permissions --for cloudformation --reasons
  speech-infra permissions kokoro-82m-cpu --stage dev`,
    )
    .action(async (modelId: SpeechModelId, options: PermissionOptions) => {
      const names = speechNames(modelId, options.stage);
      const place = policyPlace(options, context);
      const [{ speechDeployer }, { speechCloudFormation }] = await Promise.all([
        import("../../lib/deploy/permissions/deployer.ts"),
        import("../../lib/deploy/permissions/cloudformation.ts"),
      ]);
      const permissions = options.for === "deployer" ? speechDeployer : speechCloudFormation;
      await showPolicy(permissions(names, place, options.qualifier), options, context);
    });
}
