/** `agent-infra diff`: the templates of this machine against those that are deployed. */
import type { CliContext } from "../run.ts";
import { type DiffOptions, tellDiff } from "../template-run.ts";
import { type AgentDeployOptions, agentChoice } from "./deploy-run.ts";

export interface AgentDiffOptions extends DiffOptions, AgentDeployOptions {}

export async function runDiff(options: AgentDiffOptions, context: CliContext): Promise<void> {
  const choice = agentChoice(options);
  const { diffAgent } = await import("../../lib/deploy/agent/agent-templates.ts");
  await tellDiff(options, context, (operation) => diffAgent(choice, operation));
}
