/** The agent taken down, from whatever state it is in; the speech it used stays. */
import { BEDROCK_MODEL_ID_DEFAULT } from "../../config/agent-settings.ts";
import { agentNames, requireStage } from "../../config/deployment-names.ts";
import { destroyedStep } from "../deployed-step.ts";
import {
  concludeDestruction,
  type Destruction,
  type DestructionPlan,
  destructionPlan,
  findOwnStacks,
} from "../destruction.ts";
import { agentKeptNames } from "../kept/kept-names.ts";
import { type Operation, openStacks } from "../stack-session.ts";
import { Steps } from "../steps.ts";
import { type AgentChoice, agentCommands, buildAgentApp } from "./agent-choice.ts";

/** All that counts of an agent that goes: its stage, and who deploys there. */
export type AgentLeft = Pick<AgentChoice, "stage" | "options">;

/** @throws {SpeechError} CONFIGURATION when a stack is not ours. */
export async function planAgentDestruction(
  { stage }: AgentLeft,
  operation: Operation,
): Promise<DestructionPlan> {
  const names = agentNames(requireStage(stage));
  const { runtime, foundation } = names.stacks;
  const found = await findOwnStacks([runtime, foundation], names.stage, operation);
  return await destructionPlan(found, names.stage, agentKeptNames(names, operation.place), operation);
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
    agentCommands(choice, place),
    (outdir, context) => buildAgentApp(choice, "destroyed", { account, region }, outdir, context),
  );
  await steps.run("runtime", () => destroyedStep(names.stacks.runtime, stacks));
  await steps.run("foundation", () => destroyedStep(names.stacks.foundation, stacks));
  const keptNames = agentKeptNames(names, place);
  return await concludeDestruction(names.stage, keptNames, { steps, purgeToo }, operation);
}
