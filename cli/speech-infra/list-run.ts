/** `speech-infra list`: the catalog is always there; what is deployed, where AWS can be asked. */
import { STAGE_DEFAULT } from "../../lib/config/deployment-names.ts";
import { SPEECH_CATALOG } from "../../lib/config/speech-catalog.ts";
import type { SpeechDeploymentSummary } from "../../lib/deploy/status/deployments.ts";
import { isSpeechError } from "../../lib/errors.ts";
import { type AwsOptions, selectAws } from "../aws-selection.ts";
import type { CliContext } from "../run.ts";
import { textTable } from "../text-table.ts";

export async function runList(options: AwsOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const { deployments, reason } = await findDeployments(options, context);
  const catalog = Object.values(SPEECH_CATALOG);
  output.result({ catalog, deployments, ...(reason !== undefined && { reason }) });
  for (const line of textTable([
    ["model", "instance", "about USD/h", "what it is"],
    ...catalog.map(({ id, instanceType, usdPerHour, description }) => [
      id,
      instanceType,
      usdPerHour.toFixed(2),
      description,
    ]),
  ])) {
    output.line(line);
  }
  output.line();
  if (deployments === null) {
    output.line(`The catalog alone: ${reason}`);
  } else if (deployments.length === 0) {
    output.line("Nothing is deployed; speech-infra deploy kokoro-82m begins.");
  } else {
    const rows = deployments.map(({ modelId, stage, endpoint, status }) => [
      modelId,
      stage === STAGE_DEFAULT ? `${stage} (default)` : stage,
      endpoint,
      status ?? "no endpoint",
    ]);
    for (const line of textTable([["deployed", "stage", "endpoint", "status"], ...rows])) output.line(line);
  }
}

/** Whatever keeps AWS from answering, the catalog is still worth showing; the reason is told with it. */
async function findDeployments(
  options: AwsOptions,
  context: CliContext,
): Promise<{ deployments: readonly SpeechDeploymentSummary[] | null; reason?: string }> {
  const { output, signal } = context;
  try {
    const place = await selectAws(options, context);
    output.status(`Asking AWS in ${place.region} ...`);
    const { listDeployments } = await import("../../lib/deploy/status/deployments.ts");
    return { deployments: await listDeployments(place, signal) };
  } catch (error) {
    if (signal.aborted || !isSpeechError(error)) throw error;
    return { deployments: null, reason: error.message };
  }
}
