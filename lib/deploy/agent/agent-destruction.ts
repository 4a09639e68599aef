/** The agent taken down, from whatever state it is in; the speech it used stays. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { BEDROCK_MODEL_ID_DEFAULT } from "../../config/agent-settings.ts";
import { agentNames, requireStage } from "../../config/deployment-names.ts";
import { clientOptions } from "../aws-clients.ts";
import { destroyedStep } from "../deployed-step.ts";
import type { Destruction, DestructionPlan } from "../destruction.ts";
import { agentKeptNames } from "../kept/kept-names.ts";
import { findKept } from "../kept/kept-resources.ts";
import { purge } from "../kept/purge.ts";
import { type Operation, openStacks } from "../stack-session.ts";
import { readStack } from "../stack-state.ts";
import { Steps } from "../steps.ts";
import { requireOurs } from "../toolkit/stack-moves.ts";
import { type AgentChoice, agentCommands, buildAgentApp } from "./agent-choice.ts";

/** All that counts of an agent that goes: its stage, and who deploys there. */
export type AgentLeft = Pick<AgentChoice, "stage" | "options">;

/** @throws {SpeechError} CONFIGURATION when a stack is not ours. */
export async function planAgentDestruction(
  { stage }: AgentLeft,
  { place, signal }: Operation,
): Promise<DestructionPlan> {
  const names = agentNames(requireStage(stage));
  const client = new CloudFormationClient(clientOptions(place));
  const found = await Promise.all(
    [names.stacks.runtime, names.stacks.foundation].map((name) =>
      readStack(client, place.region, name, signal),
    ),
  );
  for (const stack of found) requireOurs(stack, names.stage);
  return {
    stacks: found.filter((stack) => stack !== undefined).map(({ name, status }) => ({ name, status })),
    kept: await findKept(place, names.stage, agentKeptNames(names, place), signal),
  };
}

/** @param purgeToo delete what is kept as well. */
export async function destroyAgent(
  { stage, options }: AgentLeft,
  operation: Operation,
  purgeToo: boolean,
): Promise<Destruction> {
  const { place, observe, signal } = operation;
  const { account, region } = place;
  const names = agentNames(requireStage(stage));
  // Only the stacks' names and the roles of the bootstrap count here.
  const choice: AgentChoice = {
    stage,
    options,
    bedrockModelId: BEDROCK_MODEL_ID_DEFAULT,
    speechEndpointName: "destroyed",
  };
  const steps = new Steps(observe, signal);
  await using stacks = await openStacks(
    names.stage,
    operation,
    agentCommands(choice, operation.place),
    (outdir, context) => buildAgentApp(choice, "destroyed", { account, region }, outdir, context),
  );
  await steps.run("runtime", () => destroyedStep(names.stacks.runtime, stacks));
  await steps.run("foundation", () => destroyedStep(names.stacks.foundation, stacks));
  const keptNames = agentKeptNames(names, place);
  const purged = purgeToo ? await purge(place, names.stage, keptNames, { steps, observe, signal }) : [];
  return {
    stage: names.stage,
    region,
    account,
    steps: steps.reports,
    kept: await findKept(place, names.stage, keptNames, signal),
    purged,
  };
}
