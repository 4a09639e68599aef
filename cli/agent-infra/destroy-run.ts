/** `agent-infra destroy` from start to end. */
import { addedFlags } from "../../lib/deploy/command-words.ts";
import { placeOf } from "../deployment-run.ts";
import { type DestroyOptions, destroyAsAgreed } from "../destruction-run.ts";
import type { CliContext } from "../run.ts";

export interface AgentDestroyOptions extends DestroyOptions {
  readonly bedrockModelId?: string;
}

export async function runDestroy(options: AgentDestroyOptions, context: CliContext): Promise<void> {
  const { planAgentDestruction, destroyAgent } = await import("../../lib/deploy/agent/agent-destruction.ts");
  const { qualifier, stage } = options;
  const left = { stage, options: qualifier === undefined ? {} : { qualifier } };
  const flags = addedFlags(stage, options);
  await destroyAsAgreed(options, context, {
    what: `agent-infra destroy${flags}${qualifier === undefined ? "" : ` --qualifier ${qualifier}`}`,
    whereToLook: `agent-infra status${flags}`,
    place: () => placeOf(options, context),
    plan: (operation) => planAgentDestruction(left, operation),
    destroy: (operation) => destroyAgent(left, operation, options.purge),
  });
}
