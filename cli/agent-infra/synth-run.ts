/** `agent-infra synth`: templates for looking at, or for another tool to deploy. */
import type { CliContext } from "../run.ts";
import { type SynthOptions, tellTemplates } from "../template-run.ts";
import { type AgentDeployOptions, agentChoice } from "./deploy-run.ts";

export interface AgentSynthOptions extends SynthOptions, AgentDeployOptions {}

export async function runSynth(options: AgentSynthOptions, context: CliContext): Promise<void> {
  const choice = agentChoice(options);
  context.output.status("Synthesizing ...");
  const { synthAgent } = await import("../../lib/deploy/agent/agent-templates.ts");
  tellTemplates(options.out, await synthAgent(choice, options.out), context);
}
