/** `agent-infra logs`: AgentCore names the groups by the runtime's id, which the stack knows. */
import { agentNames, OUTPUTS, runtimeLogGroup } from "../../lib/config/deployment-names.ts";
import { selectAws } from "../aws-selection.ts";
import { type LogOptions, showLogs } from "../log-lines.ts";
import type { CliContext } from "../run.ts";
import { runtimeStack } from "./deployed-agent.ts";

/** AgentCore's own endpoint, which callers reach who name none. */
const DEFAULT_ENDPOINT = "DEFAULT";

export async function runAgentLogs(options: LogOptions, context: CliContext): Promise<void> {
  const names = agentNames(options.stage);
  const place = await selectAws(options, context);
  if (options.build) return await showLogs([names.buildLogGroup], options, place, context);
  const stack = await runtimeStack(options.stage, place, context.signal);
  const runtimeId = stack.output(OUTPUTS.runtimeId);
  const groups = [names.runtimeEndpoint, DEFAULT_ENDPOINT].map((name) =>
    runtimeLogGroup(`${runtimeId}-${name}`),
  );
  await showLogs(groups, options, place, context);
}
