/** The endpoint and all that hangs on it: its configuration, what it runs, how it scales, what rings. */
import {
  ApplicationAutoScalingClient,
  DescribeScalableTargetsCommand,
} from "@aws-sdk/client-application-auto-scaling";
import { type CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import {
  DescribeEndpointCommand,
  DescribeEndpointConfigCommand,
  DescribeModelCommand,
  type DescribeModelOutput,
  SageMakerClient,
} from "@aws-sdk/client-sagemaker";
import type { SpeechNames } from "../../config/deployment-names.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";

/** null: not known, as while an endpoint is being made. */
export interface EndpointReport {
  readonly name: string;
  readonly status: string;
  readonly failureReason: string | null;
  readonly variant: string | null;
  readonly instanceType: string | null;
  readonly desiredInstances: number | null;
  readonly currentInstances: number | null;
  /** As the model names it. */
  readonly imageUri: string | null;
  /** `sha256:...`, of what runs. */
  readonly imageDigest: string | null;
  readonly configName: string;
  /** End of the configuration's name. */
  readonly configHash: string;
  /** Where the weights lie in the bucket. */
  readonly modelPrefix: string | null;
}

export interface ScalingReport {
  readonly minInstances: number;
  readonly maxInstances: number;
}

export interface AlarmReport {
  readonly name: string;
  readonly reason: string;
}

export class EndpointReader {
  readonly #place: AwsPlace;
  readonly #names: SpeechNames;
  readonly #signal: AbortSignal;
  readonly #sageMaker: SageMakerClient;

  constructor(place: AwsPlace, names: SpeechNames, signal: AbortSignal) {
    this.#place = place;
    this.#names = names;
    this.#signal = signal;
    this.#sageMaker = new SageMakerClient(clientOptions(place));
  }

  /** @returns undefined when there is no such endpoint. */
  async endpoint(): Promise<EndpointReport | undefined> {
    const options = { abortSignal: this.#signal };
    const found = await this.#orAbsent("sagemaker:DescribeEndpoint", () =>
      this.#sageMaker.send(new DescribeEndpointCommand({ EndpointName: this.#names.endpoint }), options),
    );
    if (found === undefined) return undefined;
    const configName = found.EndpointConfigName ?? "";
    const config = await this.#orAbsent("sagemaker:DescribeEndpointConfig", () =>
      this.#sageMaker.send(new DescribeEndpointConfigCommand({ EndpointConfigName: configName }), options),
    );
    const configured = config?.ProductionVariants?.[0];
    const model =
      configured?.ModelName === undefined
        ? undefined
        : await this.#orAbsent("sagemaker:DescribeModel", () =>
            this.#sageMaker.send(new DescribeModelCommand({ ModelName: configured.ModelName }), options),
          );
    const variant = found.ProductionVariants?.[0];
    const digest = variant?.DeployedImages?.[0]?.ResolvedImage?.split("@")[1];
    return {
      name: this.#names.endpoint,
      status: found.EndpointStatus ?? "",
      failureReason: found.FailureReason || null,
      variant: variant?.VariantName ?? null,
      instanceType: configured?.InstanceType ?? null,
      desiredInstances: variant?.DesiredInstanceCount ?? null,
      currentInstances: variant?.CurrentInstanceCount ?? null,
      imageUri: model?.PrimaryContainer?.Image ?? null,
      imageDigest: digest ?? null,
      configName,
      configHash: configName.slice(this.#names.endpoint.length + 1),
      modelPrefix: model === undefined ? null : prefixOf(model),
    };
  }

  async scaling(): Promise<ScalingReport | undefined> {
    const client = new ApplicationAutoScalingClient(clientOptions(this.#place));
    const { endpoint, variant } = this.#names;
    const { ScalableTargets } = await this.#ask("application-autoscaling:DescribeScalableTargets", () =>
      client.send(
        new DescribeScalableTargetsCommand({
          ServiceNamespace: "sagemaker",
          ScalableDimension: "sagemaker:variant:DesiredInstanceCount",
          ResourceIds: [`endpoint/${endpoint}/variant/${variant}`],
        }),
        { abortSignal: this.#signal },
      ),
    );
    const [target] = ScalableTargets ?? [];
    return target === undefined
      ? undefined
      : { minInstances: target.MinCapacity ?? 0, maxInstances: target.MaxCapacity ?? 0 };
  }

  /** Those of the stack that ring now. */
  async alarms(stackName: string, cloudFormation: CloudFormationClient): Promise<AlarmReport[]> {
    const AlarmNames: string[] = [];
    await this.#ask("cloudformation:ListStackResources", async () => {
      for await (const page of paginateListStackResources(
        { client: cloudFormation },
        { StackName: stackName },
      )) {
        for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? []) {
          if (ResourceType === "AWS::CloudWatch::Alarm" && PhysicalResourceId) {
            AlarmNames.push(PhysicalResourceId);
          }
        }
      }
    });
    // No names would mean: every alarm of the account.
    if (AlarmNames.length === 0) return [];
    const client = new CloudWatchClient(clientOptions(this.#place));
    const { MetricAlarms } = await this.#ask("cloudwatch:DescribeAlarms", () =>
      client.send(new DescribeAlarmsCommand({ AlarmNames, StateValue: "ALARM" }), {
        abortSignal: this.#signal,
      }),
    );
    return (MetricAlarms ?? []).map(({ AlarmName, StateReason }) => ({
      name: AlarmName ?? "",
      reason: StateReason ?? "",
    }));
  }

  #ask<Answer>(action: string, call: () => Promise<Answer>): Promise<Answer> {
    return asking(action, this.#place.region, this.#signal, call);
  }

  /** SageMaker has no error code of its own for what is not there. */
  #orAbsent<Answer>(action: string, call: () => Promise<Answer>): Promise<Answer | undefined> {
    return this.#ask(action, async () => {
      try {
        return await call();
      } catch (cause) {
        if (cause instanceof Error && /could not find/i.test(cause.message)) return undefined;
        throw cause;
      }
    });
  }
}

/** `kokoro-82m-v1.0/0123456789ab/` of `s3://bucket/kokoro-82m-v1.0/0123456789ab/` */
function prefixOf({ PrimaryContainer }: DescribeModelOutput): string | null {
  const uri = PrimaryContainer?.ModelDataSource?.S3DataSource?.S3Uri;
  return /^s3:\/\/[^/]+\/(.*)$/.exec(uri ?? "")?.[1] ?? null;
}
