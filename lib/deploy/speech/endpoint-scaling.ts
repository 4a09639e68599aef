/**
 * The endpoint's scaling outside CloudFormation. SageMaker refuses to change the instance type of a variant that
 * scales, and to delete one without the right to deregister it: the target is taken off first, and put back as the
 * stack's template has it. CloudFormation alone would not, because to it nothing has changed
 * (https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html).
 */
import {
  ApplicationAutoScalingClient,
  DeregisterScalableTargetCommand,
  DescribeScalableTargetsCommand,
  type PolicyType,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
  type TargetTrackingScalingPolicyConfiguration,
} from "@aws-sdk/client-application-auto-scaling";
import { type CloudFormationClient, GetTemplateCommand } from "@aws-sdk/client-cloudformation";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";

const VARIANT_INSTANCES = {
  ServiceNamespace: "sagemaker",
  ScalableDimension: "sagemaker:variant:DesiredInstanceCount",
} as const;

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export class EndpointScaling {
  readonly #client: ApplicationAutoScalingClient;
  readonly #resource: typeof VARIANT_INSTANCES & { readonly ResourceId: string };
  readonly #abortSignal: AbortSignal;

  constructor(place: AwsPlace, endpointName: string, variantName: string, signal: AbortSignal) {
    this.#client = new ApplicationAutoScalingClient(clientOptions(place));
    this.#resource = { ...VARIANT_INSTANCES, ResourceId: `endpoint/${endpointName}/variant/${variantName}` };
    this.#abortSignal = signal;
  }

  async isRegistered(): Promise<boolean> {
    const { ServiceNamespace, ScalableDimension, ResourceId } = this.#resource;
    const { ScalableTargets } = await this.#client.send(
      new DescribeScalableTargetsCommand({ ServiceNamespace, ScalableDimension, ResourceIds: [ResourceId] }),
      { abortSignal: this.#abortSignal },
    );
    return (ScalableTargets ?? []).length > 0;
  }

  /** @returns false when it was not registered. */
  async deregister(): Promise<boolean> {
    if (!(await this.isRegistered())) return false;
    await this.#client.send(new DeregisterScalableTargetCommand(this.#resource), {
      abortSignal: this.#abortSignal,
    });
    return true;
  }

  /** As the deployed template says; nothing when it is there. @returns whether something was put back. */
  async restore(cloudFormation: CloudFormationClient, stackName: string): Promise<boolean> {
    if (await this.isRegistered()) return false;
    const { TemplateBody } = await cloudFormation.send(new GetTemplateCommand({ StackName: stackName }), {
      abortSignal: this.#abortSignal,
    });
    const { Resources = {} } = JSON.parse(TemplateBody!) as { Resources?: Record<string, TemplateResource> };
    const propertiesOf = (type: string) =>
      Object.values(Resources).find((resource) => resource.Type === type)?.Properties;
    const target = propertiesOf("AWS::ApplicationAutoScaling::ScalableTarget");
    const policy = propertiesOf("AWS::ApplicationAutoScaling::ScalingPolicy");
    if (target === undefined || policy === undefined) return false;
    await this.#client.send(
      new RegisterScalableTargetCommand({
        ...this.#resource,
        MinCapacity: Number(target.MinCapacity),
        MaxCapacity: Number(target.MaxCapacity),
      }),
      { abortSignal: this.#abortSignal },
    );
    await this.#client.send(
      new PutScalingPolicyCommand({
        ...this.#resource,
        PolicyName: policy.PolicyName as string,
        PolicyType: policy.PolicyType as PolicyType,
        TargetTrackingScalingPolicyConfiguration:
          policy.TargetTrackingScalingPolicyConfiguration as TargetTrackingScalingPolicyConfiguration,
      }),
      { abortSignal: this.#abortSignal },
    );
    return true;
  }
}
