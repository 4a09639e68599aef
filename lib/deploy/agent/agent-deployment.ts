/** The agent on AWS, step by step; the same command goes on where one before it stopped. */
import { setTimeout as delay } from "node:timers/promises";
import { type AgentNames, agentNames, OUTPUTS, requireStage } from "../../config/deployment-names.ts";
import { SpeechError } from "../../errors.ts";
import { lastContainerLines } from "../container-lines.ts";
import { deployedStep } from "../deployed-step.ts";
import type { PreparedImage } from "../speech/speech-deployment.ts";
import { type Operation, openStacks, type StackSession } from "../stack-session.ts";
import { readStack } from "../stack-state.ts";
import { type StepReport, Steps } from "../steps.ts";
import { deployStack } from "../toolkit/stack-deployment.ts";
import { type AgentChoice, agentCommands, buildAgentApp } from "./agent-choice.ts";
import { AgentRuntimeReader, hasFailed, isReady, type RuntimeState } from "./runtime-state.ts";

/** What is done by others: the image. */
export interface AgentParts {
  /** Content hash of the image's source. */
  imageTag(): Promise<string>;
  /** Builds and pushes the image unless its tag is there, and refuses one that AgentCore would refuse. */
  ensureImage(names: AgentNames, operation: Operation): Promise<PreparedImage>;
}

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

/** @throws {SpeechError} CONFIGURATION, DEPLOYMENT_FAILED; details hold the steps up to there. */
export async function deployAgent(
  choice: AgentChoice,
  operation: Operation,
  parts: AgentParts,
): Promise<AgentDeployment> {
  const { place, observe, signal } = operation;
  const { account, region } = place;
  const names = agentNames(requireStage(choice.stage));
  const imageTag = choice.imageUri === undefined ? await parts.imageTag() : undefined;
  await using stacks = await openStacks(names.stage, operation, agentCommands(choice), (outdir, context) =>
    buildAgentApp(choice, imageTag, { account, region }, outdir, context),
  );
  const runtime = new RuntimeWork(names, operation, stacks);
  const steps = new Steps(observe, signal);
  await steps.run("foundation", () => deployedStep(names.stacks.foundation, stacks));
  await steps.run("image", async () => {
    const image = await parts.ensureImage(names, operation);
    return image.built
      ? { state: "done", detail: image.imageUri }
      : { state: "skipped", detail: "it is in the repository" };
  });
  let outputs: Readonly<Record<string, string>> = {};
  await steps.run("runtime", async () => {
    const { changed, outputs: made } = await runtime.deploy();
    outputs = made;
    return changed ? { state: "done" } : { state: "skipped", detail: "no changes" };
  });
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

  async deploy(): Promise<{ changed: boolean; outputs: Readonly<Record<string, string>> }> {
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
      return { changed, outputs: state.outputs };
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
