/**
 * Instances follow the load. A listener holds a stream as long as a turn lasts, so what counts is how many requests an
 * instance is busy with, not how many began in a minute; the latter is the alternative for callers of single sentences.
 */
import { CfnScalableTarget, CfnScalingPolicy } from "aws-cdk-lib/aws-applicationautoscaling";
import type { CfnEndpoint } from "aws-cdk-lib/aws-sagemaker";
import { Construct } from "constructs";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";

export type ScaleOn = "concurrency" | "invocations";

/** https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html */
const METRICS: Readonly<Record<ScaleOn, string>> = {
  concurrency: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
  invocations: "SageMakerVariantInvocationsPerInstance",
};
/**
 * Requests at once, and requests a minute, that one instance is to be busy with. First guesses, from speech being
 * computed a few times (CPU) or tens of times (GPU) faster than it is heard; not measured on SageMaker.
 */
const TARGETS: Readonly<Record<ScaleOn, Readonly<Record<SpeechDevice, number>>>> = {
  concurrency: { cpu: 2, cuda: 8 },
  invocations: { cpu: 30, cuda: 240 },
};
/** A new instance takes minutes to be of use: adding another before it is, is too much. */
const SCALE_OUT_COOLDOWN_SECONDS = 180;
/** Speech comes in waves; an instance just started is not given up at the first lull. */
const SCALE_IN_COOLDOWN_SECONDS = 600;

export interface EndpointScalingProps {
  readonly endpoint: CfnEndpoint;
  readonly variantName: string;
  /** 1 or more. */
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly scaleOn: ScaleOn;
  readonly device: SpeechDevice;
}

export class EndpointScaling extends Construct {
  constructor(scope: Construct, id: string, props: EndpointScalingProps) {
    super(scope, id);
    const { endpoint, variantName, minInstances, maxInstances } = props;
    requireInstances(minInstances, maxInstances);
    const dimension = {
      serviceNamespace: "sagemaker",
      scalableDimension: "sagemaker:variant:DesiredInstanceCount",
    };
    // Refers to the endpoint, so that CloudFormation gives the target up before it deletes the endpoint.
    const target = new CfnScalableTarget(this, "Target", {
      ...dimension,
      resourceId: `endpoint/${endpoint.attrEndpointName}/variant/${variantName}`,
      minCapacity: minInstances,
      maxCapacity: maxInstances,
    });
    new CfnScalingPolicy(this, "Policy", {
      policyName: `${endpoint.endpointName}-${props.scaleOn}`,
      policyType: "TargetTrackingScaling",
      scalingTargetId: target.ref,
      targetTrackingScalingPolicyConfiguration: {
        predefinedMetricSpecification: { predefinedMetricType: METRICS[props.scaleOn] },
        targetValue: TARGETS[props.scaleOn][props.device],
        scaleInCooldown: SCALE_IN_COOLDOWN_SECONDS,
        scaleOutCooldown: SCALE_OUT_COOLDOWN_SECONDS,
      },
    });
  }
}

function requireInstances(min: number, max: number): void {
  if (Number.isInteger(min) && Number.isInteger(max) && min >= 1 && max >= min) return;
  throw new SpeechError(
    "CONFIGURATION",
    `minInstances must be a whole number from 1 and maxInstances one from minInstances up, got ${min} and ${max}`,
  );
}
