/** `agent-infra status`: asks, prints, and gives the answer as the exit code too. */
import { agentNames } from "../../lib/config/deployment-names.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import type { AgentStatus } from "../../lib/deploy/status/agent-status.ts";
import { type AwsOptions, type StageOptions, selectAws } from "../aws-selection.ts";
import { exitWithHealth } from "../exit-with.ts";
import type { CliContext } from "../run.ts";
import { driftLines, healthLine, stackLines } from "../stack-lines.ts";
import { textTable } from "../text-table.ts";

export async function runAgentStatus(options: StageOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const place = await selectAws(options, context);
  output.status(`Asking AWS in ${place.region} ...`);
  const { agentStatus } = await import("../../lib/deploy/status/agent-status.ts");
  const status = await agentStatus(agentNames(options.stage), place, signal);
  output.result(status);
  for (const line of agentStatusLines(status, options)) output.line(line);
  exitWithHealth(status.health);
}

export function agentStatusLines(status: AgentStatus, where: AwsOptions = {}): string[] {
  const { runtime, stage, drift, lastError } = status;
  const deployCommand = `agent-infra deploy --bedrock-model-id ${status.bedrockModelId ?? "ID"}${addedFlags(stage, where)}`;
  return [
    healthLine(`agent (stage ${stage}, ${status.region})`, status.health, deployCommand),
    "",
    ...stackLines(status.stacks),
    ...(runtime === null
      ? []
      : [
          "",
          ...textTable([
            ["runtime", runtime.arn],
            ["status", `${runtime.status}, version ${runtime.version}`],
            ["endpoint", runtimeEndpoint(runtime)],
            ["image", runtime.imageUri ?? "unknown"],
            ["language model", status.bedrockModelId ?? "unknown"],
            ["speech endpoint", status.speechEndpoint ?? "unknown"],
          ]),
        ]),
    ...(drift.length === 0 ? [] : ["", ...driftLines(drift, deployCommand)]),
    ...(lastError === null ? [] : ["", `last error: ${lastError}`]),
  ];
}

function runtimeEndpoint({ endpoint }: NonNullable<AgentStatus["runtime"]>): string {
  if (endpoint === null) return "missing";
  const { name, status, liveVersion, targetVersion } = endpoint;
  const isMoving = targetVersion !== null && targetVersion !== liveVersion;
  return `${name}, ${status}, version ${liveVersion ?? "none"}${isMoving ? `, going to ${targetVersion}` : ""}`;
}
