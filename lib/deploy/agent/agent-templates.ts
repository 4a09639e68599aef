/** The agent's templates without a deployment: compared with what is deployed, or written to a folder. */
import { resolve } from "node:path";
import { agentNames, requireStage } from "../../config/deployment-names.ts";
import { imageTag } from "../images/content-hash.ts";
import { diffStacks, type StackChanges } from "../stack-diff.ts";
import type { Operation } from "../stack-session.ts";
import { type AgentChoice, buildAgentApp } from "./agent-choice.ts";

export async function diffAgent(choice: AgentChoice, operation: Operation): Promise<StackChanges[]> {
  const tag = await tagOf(choice);
  const { account, region } = operation.place;
  return await diffStacks(stacksOf(choice), operation, (outdir, context) =>
    buildAgentApp(choice, tag, { account, region }, outdir, context),
  );
}

/** For any account and region. @returns names of the stacks, which are the templates'. */
export async function synthAgent(choice: AgentChoice, folder: string): Promise<string[]> {
  buildAgentApp(choice, await tagOf(choice), {}, resolve(folder)).synth();
  return stacksOf(choice);
}

async function tagOf({ imageUri }: AgentChoice): Promise<string | undefined> {
  return imageUri === undefined ? await imageTag("agent", "cpu") : undefined;
}

function stacksOf({ stage }: AgentChoice): string[] {
  return Object.values(agentNames(requireStage(stage)).stacks);
}
