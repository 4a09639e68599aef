/**
 * Speech on AWS, step by step. Each step looks first and is left out when there is nothing to do, so that the same
 * command goes on where one before it stopped. The image is checked before the endpoint is touched.
 */

import { setTimeout as delay } from "node:timers/promises";
import { SageMakerClient } from "@aws-sdk/client-sagemaker";
import { modelBucketName, OUTPUTS } from "../../config/deployment-names.ts";
import { SpeechError } from "../../errors.ts";
import { clientOptions } from "../aws-clients.ts";
import { bootstrapStep } from "../bootstrap-step.ts";
import { lastContainerLines } from "../container-lines.ts";
import { deployedStep, product, type StackOutputs } from "../deployed-step.ts";
import { imageStep } from "../image-step.ts";
import { syncModel } from "../model-sync/sync-model.ts";
import { type Operation, openStacks, type StackSession } from "../stack-session.ts";
import { type Product, type StepReport, Steps } from "../steps.ts";
import { deployStack } from "../toolkit/stack-deployment.ts";
import { EndpointScaling } from "./endpoint-scaling.ts";
import { type EndpointState, isBeyondRepair, readEndpoint, waitingFor } from "./endpoint-state.ts";
import {
  buildSpeechApp,
  type SpeechChoice,
  type SpeechTarget,
  speechCommands,
  speechTarget,
} from "./speech-choice.ts";
import { speechContent } from "./speech-content.ts";

export interface SpeechDeployment {
  readonly stage: string;
  readonly modelId: string;
  readonly region: string;
  readonly account: string;
  readonly steps: readonly StepReport[];
  readonly endpointName: string;
  readonly endpointStatus: string;
  readonly endpointConfigHash: string;
  readonly imageUri: string;
  readonly modelBucket: string;
  readonly instanceType: string;
  readonly minInstances: number;
}

/** Lines of a container's log that a failure is told with. */
const LOG_LINES = 20;

/**
 * @param bootstrapFirst make the CDK's own stack, which is missing.
 * @throws {SpeechError} CONFIGURATION, DEPLOYMENT_FAILED; details hold the steps up to there.
 */
export async function deploySpeech(
  choice: SpeechChoice,
  operation: Operation,
  bootstrapFirst = false,
): Promise<SpeechDeployment> {
  const { place, observe, signal } = operation;
  const target = speechTarget(choice);
  const { names } = target;
  const { account, region } = place;
  const steps = new Steps(observe, signal);
  const content = await steps.produce("content", () => speechContent(choice, target, operation));
  const { modelPrefix } = content;
  await using stacks = await openStacks(
    names.stage,
    operation,
    speechCommands(choice, operation.place),
    (outdir, context) => buildSpeechApp(choice, content, { account, region }, outdir, context),
  );
  if (bootstrapFirst) {
    await steps.run("bootstrap", () => bootstrapStep(choice.options.qualifier, operation));
  }
  const endpoint = new EndpointWork(target, operation, stacks);
  const modelBucket = modelBucketName(names, account, region);
  const foundation = await steps.produce("foundation", () => deployedStep(names.stacks.foundation, stacks));
  const imageUri = await steps.produce("image", () =>
    imageStep(
      { image: "tts", variant: target.model.device, repository: names.repository, ...choice },
      foundation,
      operation,
    ),
  );
  await steps.produce("model-cache", () => deployedStep(names.stacks.modelCache, stacks));
  await steps.run("model", async () => {
    const kmsKeyId = choice.options.kmsKeyArn;
    const { uploaded, skipped, bytes } = await syncModel(
      { model: content.model, bucket: modelBucket, prefix: modelPrefix, kmsKeyId },
      place,
      observe,
      signal,
    );
    return uploaded === 0
      ? { state: "skipped", detail: `all ${skipped} files are in the bucket` }
      : { state: "done", detail: `${uploaded} files uploaded, ${(bytes / 1e6).toFixed(0)} MB` };
  });
  const outputs = await steps.produce("endpoint", () => endpoint.deploy());
  await steps.run("in-service", async () => {
    await endpoint.inService();
    return { state: "done", detail: `${names.endpoint} is InService` };
  });
  return {
    stage: names.stage,
    modelId: target.model.id,
    region,
    account,
    steps: steps.reports,
    endpointName: names.endpoint,
    endpointStatus: "InService",
    endpointConfigHash: outputs[OUTPUTS.endpointConfigHash] ?? "",
    imageUri,
    modelBucket,
    instanceType: target.instanceType,
    minInstances: target.minInstances,
  };
}

/** The stack that costs money and takes minutes. */
class EndpointWork {
  readonly #target: SpeechTarget;
  readonly #operation: Operation;
  readonly #stacks: StackSession;
  readonly #client: SageMakerClient;
  readonly #scaling: EndpointScaling;

  constructor(target: SpeechTarget, operation: Operation, stacks: StackSession) {
    this.#target = target;
    this.#operation = operation;
    this.#stacks = stacks;
    this.#client = new SageMakerClient(clientOptions(operation.place));
    const { endpoint, variant } = target.names;
    this.#scaling = new EndpointScaling(operation.place, endpoint, variant, operation.signal);
  }

  async deploy(): Promise<Product<StackOutputs>> {
    const { names, instanceType } = this.#target;
    const before = await this.#read();
    const isReplacedType = before?.instanceType !== undefined && before.instanceType !== instanceType;
    if (isReplacedType) await this.#scaling.deregister();
    const watch = this.#watch();
    try {
      const { changed, state } = await deployStack(names.stacks.endpoint, this.#stacks, {
        replace: isBeyondRepair(before),
      });
      const restored = await this.#scaling.restore(this.#stacks.client, names.stacks.endpoint);
      return product(state.outputs, changed || restored);
    } catch (error) {
      await this.#tellContainerLog();
      throw error;
    } finally {
      watch.stop();
    }
  }

  /** CloudFormation has waited already, unless it had nothing to do. */
  async inService(): Promise<void> {
    const { names } = this.#target;
    for (;;) {
      const now = await this.#read();
      if (now?.status === "InService") return;
      if (isBeyondRepair(now)) {
        await this.#tellContainerLog();
        throw new SpeechError(
          "DEPLOYMENT_FAILED",
          `endpoint ${names.endpoint} is ${now?.status ?? "gone"}: ` +
            `${now?.failureReason?.replace(/\.$/, "") ?? "SageMaker gives no reason"}; ` +
            `next: ${this.#stacks.deployCommand}`,
          { details: { resource: names.endpoint, reason: now?.failureReason } },
        );
      }
      this.#operation.observe({ kind: "waiting", what: waitingFor(now!, names.endpoint) });
      await delay(this.#stacks.pollMs, undefined, { signal: this.#operation.signal });
    }
  }

  #read(): Promise<EndpointState | undefined> {
    return readEndpoint(this.#client, this.#target.names.endpoint, this.#operation.signal);
  }

  /** Says what CloudFormation's one event, CREATE_IN_PROGRESS, stands for all these minutes. */
  #watch(): { stop(): void } {
    const { observe } = this.#operation;
    const timer = setInterval(async () => {
      const now = await this.#read().catch(() => undefined);
      if (now !== undefined && now.status !== "InService" && now.status !== "Failed") {
        observe({ kind: "waiting", what: waitingFor(now, this.#target.names.endpoint) });
      }
    }, this.#stacks.pollMs * 3);
    timer.unref();
    return { stop: () => clearInterval(timer) };
  }

  async #tellContainerLog(): Promise<void> {
    const { place, observe } = this.#operation;
    const { logGroup } = this.#target.names;
    for (const line of await lastContainerLines(place, logGroup, LOG_LINES)) {
      observe({ kind: "log", source: "container", line });
    }
  }
}
