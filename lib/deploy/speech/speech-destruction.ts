/**
 * Speech taken down, in the reverse order, from whatever state it is in. The bucket of weights, the repositories and
 * the logs stay; purging them is another step, asked for by name.
 */
import { setTimeout as delay } from "node:timers/promises";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SageMakerClient } from "@aws-sdk/client-sagemaker";
import { SpeechError } from "../../errors.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { addedFlags } from "../command-words.ts";
import { destroyedStep } from "../deployed-step.ts";
import {
  concludeDestruction,
  type Destruction,
  type DestructionPlan,
  destructionPlan,
  findOwnStacks,
} from "../destruction.ts";
import { speechKeptNames } from "../kept/kept-names.ts";
import { type Operation, openStacks } from "../stack-session.ts";
import { Steps } from "../steps.ts";
import { EndpointScaling } from "./endpoint-scaling.ts";
import { endpointAtRest, readEndpoint, waitingFor } from "./endpoint-state.ts";
import { buildSpeechApp, type SpeechChoice, speechCommands, speechTarget } from "./speech-choice.ts";
import { type SpeechUser, speechUsers } from "./speech-users.ts";

/** @throws {SpeechError} CONFIGURATION when an agent speaks through it, unless forced, or when a stack is not ours. */
export async function planSpeechDestruction(
  choice: SpeechChoice,
  operation: Operation,
  force: boolean,
): Promise<DestructionPlan> {
  const { place, signal } = operation;
  const { names } = speechTarget(choice);
  const { endpoint, modelCache, foundation } = names.stacks;
  const found = await findOwnStacks([endpoint, modelCache, foundation], names.stage, operation);
  if (!force && found[0] !== undefined) {
    const client = new CloudFormationClient(clientOptions(place));
    const users = await asking("cloudformation:DescribeStacks", place.region, signal, () =>
      speechUsers(client, names.endpoint),
    );
    if (users.length > 0) throw inUse(names.endpoint, users, place);
  }
  return await destructionPlan(found, names.stage, speechKeptNames(names, place), operation);
}

function inUse(endpoint: string, users: readonly SpeechUser[], { chosen }: AwsPlace): SpeechError {
  const commands = users.map(({ stage }) => `agent-infra destroy${addedFlags(stage, chosen)}`);
  return new SpeechError(
    "CONFIGURATION",
    `the agent of ${users.map(({ stack }) => stack).join(", ")} speaks through ${endpoint}; ` +
      `run ${commands.join(" and ")} first, or give --force; nothing was changed`,
    { details: { users } },
  );
}

/** @param purgeToo delete what is kept as well. */
export async function destroySpeech(
  choice: SpeechChoice,
  operation: Operation,
  purgeToo: boolean,
): Promise<Destruction> {
  const { place, observe, signal } = operation;
  const { account, region } = place;
  const { names } = speechTarget(choice);
  const steps = new Steps(observe, signal);
  await using stacks = await openStacks(
    names.stage,
    operation,
    speechCommands(choice, place),
    (outdir, context) =>
      // Only the stacks' names and the roles of the bootstrap count here.
      buildSpeechApp(
        { ...choice, imageUri: undefined },
        { imageTag: "destroyed" },
        { account, region },
        outdir,
        context,
      ),
  );
  const scaling = new EndpointScaling(place, names.endpoint, names.variant, signal);
  await steps.run("scaling", async () =>
    (await scaling.deregister())
      ? { state: "done", detail: "deregistered" }
      : { state: "skipped", detail: "it was not registered" },
  );
  await steps.run("endpoint", async () => {
    const client = new SageMakerClient(clientOptions(place));
    await endpointAtRest(
      () => readEndpoint(client, names.endpoint, signal),
      async (endpoint) => {
        observe({ kind: "waiting", what: `${waitingFor(endpoint, names.endpoint)}; then it can be deleted` });
        await delay(stacks.pollMs, undefined, { signal });
      },
    );
    return destroyedStep(names.stacks.endpoint, stacks);
  });
  await steps.run("model-cache", () => destroyedStep(names.stacks.modelCache, stacks));
  await steps.run("foundation", () => destroyedStep(names.stacks.foundation, stacks));
  const keptNames = speechKeptNames(names, place);
  return await concludeDestruction(names.stage, keptNames, { steps, purgeToo }, operation);
}
