/** `speech-infra status`: asks, prints, and gives the answer as the exit code too. */
import { speechNames } from "../../lib/config/deployment-names.ts";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import type { SpeechStatus } from "../../lib/deploy/status/speech-status.ts";
import { type AwsOptions, type StageOptions, selectAws } from "../aws-selection.ts";
import { exitWithHealth } from "../exit-with.ts";
import type { CliContext } from "../run.ts";
import { driftLines, healthLine, stackLines } from "../stack-lines.ts";
import { textTable } from "../text-table.ts";

export async function runSpeechStatus(
  modelId: SpeechModelId,
  options: StageOptions,
  context: CliContext,
): Promise<void> {
  const { output, signal } = context;
  const place = await selectAws(options, context);
  output.status(`Asking AWS in ${place.region} ...`);
  const { speechStatus } = await import("../../lib/deploy/status/speech-status.ts");
  const status = await speechStatus(speechNames(modelId, options.stage), place, signal);
  output.result(status);
  for (const line of speechStatusLines(status, options)) output.line(line);
  exitWithHealth(status.health);
}

export function speechStatusLines(status: SpeechStatus, where: AwsOptions = {}): string[] {
  const { endpoint, scaling, alarms, drift, lastError, modelId, stage } = status;
  const deployCommand = `speech-infra deploy ${modelId}${addedFlags(stage, where)}`;
  return [
    healthLine(`${modelId} (stage ${stage}, ${status.region})`, status.health, deployCommand),
    "",
    ...stackLines(status.stacks),
    ...(endpoint === null
      ? []
      : [
          "",
          ...textTable([
            ["endpoint", endpoint.name],
            ["status", endpoint.status],
            ["instances", instances(endpoint)],
            ["scaling", scaling === null ? "none" : `${scaling.minInstances} to ${scaling.maxInstances}`],
            ["image", [endpoint.imageUri, endpoint.imageDigest].filter(Boolean).join(" ") || "unknown"],
            ["weights", endpoint.modelPrefix ?? "unknown"],
            ["config", endpoint.configHash],
          ]),
        ]),
    ...(alarms.length === 0 ? [] : ["", ...alarms.map(({ name, reason }) => `ALARM ${name}: ${reason}`)]),
    ...(drift.length === 0 ? [] : ["", ...driftLines(drift, deployCommand)]),
    ...(lastError === null ? [] : ["", `last error: ${lastError}`]),
  ];
}

function instances({
  variant,
  instanceType,
  currentInstances,
  desiredInstances,
}: NonNullable<SpeechStatus["endpoint"]>): string {
  const count = `${currentInstances ?? "?"} of ${desiredInstances ?? "?"}`;
  return [count, instanceType, variant === null ? "" : `(variant ${variant})`].filter(Boolean).join(" ");
}
