/** The agent on AWS, step by step; the same command goes on where one before it stopped. */
import { setTimeout as delay } from "node:timers/promises";
import { type AgentNames, agentNames, OUTPUTS, requireStage } from "../../config/deployment-names.ts";
import { SpeechError } from "../../errors.ts";
import { bootstrapStep } from "../bootstrap-step.ts";
import { lastContainerLines } from "../container-lines.ts";
import { deployedStep, product, type StackOutputs } from "../deployed-step.ts";
import { imageStep } from "../image-step.ts";
import { imageTag } from "../images/content-hash.ts";
import { type Operation, openStacks, type StackSession } from "../stack-session.ts";
import { readStack } from "../stack-state.ts";
import { type Product, type StepReport, Steps } from "../steps.ts";
import { deployStack } from "../toolkit/stack-deployment.ts";
import { type AgentChoice, agentCommands, buildAgentApp } from "./agent-choice.ts";
import { AgentRuntimeReader, hasFailed, isReady, type RuntimeState } from "./runtime-state.ts";

export interface AgentDeployment {
  readonly stage: string;
  readonly region: string;
  readonly account: string;
  readonly steps: readonly StepReport[];
  readonly runtimeArn: string;
  readonly runtimeEndpointName: string;
  readonly imageUri: string;
  readonly speechEndpointName: string;
  readonly bedrockModelId: string;
}

const LOG_LINES = 20;

/**
 * @param bootstrapFirst make the CDK's own stack, which is missing.
 * @throws {SpeechError} CONFIGURATION, DEPLOYMENT_FAILED; details hold the steps up to there.
 */
export async function deployAgent(
  choice: AgentChoice,
  operation: Operation,
  bootstrapFirst = false,
): Promise<AgentDeployment> {
  const { place, observe, signal } = operation;
  const { account, region } = place;
  const names = agentNames(requireStage(choice.stage));
  const tag = choice.imageUri === undefined ? await imageTag("agent", "cpu") : undefined;
  await using stacks = await openStacks(
    names.stage,
    operation,
    agentCommands(choice, operation.place),
    (outdir, context) => buildAgentApp(choice, tag, { account, region }, outdir, context),
  );
  const runtime = new RuntimeWork(names, operation, stacks);
  const steps = new Steps(observe, signal);
  if (bootstrapFirst) {
    await steps.run("bootstrap", () => bootstrapStep(choice.options.qualifier, operation));
  }
  const foundation = await steps.produce("foundation", () => deployedStep(names.stacks.foundation, stacks));
  await steps.produce("image", () =>
    imageStep(
      { image: "agent", variant: "cpu", repository: names.repository, ...choice },
      foundation,
      operation,
    ),
  );
  const outputs = await steps.produce("runtime", () => runtime.deploy());
  await steps.run("ready", async () => {
    await runtime.ready(outputs[OUTPUTS.runtimeId]!);
    return { state: "done", detail: `${names.runtime} is READY` };
  });
  return {
    stage: names.stage,
    region,
    account,
    steps: steps.reports,
    runtimeArn: outputs[OUTPUTS.runtimeArn]!,
    runtimeEndpointName: outputs[OUTPUTS.runtimeEndpointName]!,
    imageUri: outputs[OUTPUTS.imageUri]!,
    speechEndpointName: choice.speechEndpointName,
    bedrockModelId: choice.bedrockModelId,
  };
}

class RuntimeWork {
  readonly #names: AgentNames;
  readonly #operation: Operation;
  readonly #stacks: StackSession;
  readonly #reader: AgentRuntimeReader;

  constructor(names: AgentNames, operation: Operation, stacks: StackSession) {
    this.#names = names;
    this.#operation = operation;
    this.#stacks = stacks;
    this.#reader = new AgentRuntimeReader(operation.place, operation.signal);
  }

  async deploy(): Promise<Product<StackOutputs>> {
    const { stacks, runtimeEndpoint } = this.#names;
    const before = await readStack(
      this.#stacks.client,
      this.#operation.place.region,
      stacks.runtime,
      this.#operation.signal,
    );
    const runtimeId = before?.outputs[OUTPUTS.runtimeId];
    const now = runtimeId === undefined ? undefined : await this.#reader.read(runtimeId, runtimeEndpoint);
    try {
      const { changed, state } = await deployStack(stacks.runtime, this.#stacks, {
        replace: runtimeId !== undefined && hasFailed(now),
      });
      return product(state.outputs, changed);
    } catch (error) {
      if (runtimeId !== undefined) await this.#tellContainerLog(runtimeId);
      throw error;
    }
  }

  async ready(runtimeId: string): Promise<void> {
    const { runtimeEndpoint, runtime } = this.#names;
    for (;;) {
      const now = await this.#reader.read(runtimeId, runtimeEndpoint);
      if (now !== undefined && isReady(now)) return;
      if (hasFailed(now)) {
        await this.#tellContainerLog(runtimeId);
        throw this.#failure(now);
      }
      const what = `runtime ${runtime} is ${now!.runtime}, its endpoint ${now!.endpoint}`;
      this.#operation.observe({ kind: "waiting", what });
      await delay(this.#stacks.pollMs, undefined, { signal: this.#operation.signal });
    }
  }

  #failure(state: RuntimeState | undefined): SpeechError {
    const words = state === undefined ? "is gone" : `is ${state.runtime}, its endpoint ${state.endpoint}`;
    const reason = state?.failureReason?.replace(/\.$/, "") ?? "AgentCore gives no reason";
    return new SpeechError(
      "DEPLOYMENT_FAILED",
      `runtime ${this.#names.runtime} ${words}: ${reason}; next: ${this.#stacks.deployCommand}`,
      { details: { resource: this.#names.runtime, reason } },
    );
  }

  async #tellContainerLog(runtimeId: string): Promise<void> {
    const logGroup = `/aws/bedrock-agentcore/runtimes/${runtimeId}-${this.#names.runtimeEndpoint}`;
    for (const line of await lastContainerLines(this.#operation.place, logGroup, LOG_LINES)) {
      this.#operation.observe({ kind: "log", source: "container", line });
    }
  }
}
