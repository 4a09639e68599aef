/** The endpoint that speaks, how it grows, what is rung for when it fails. */
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { modelBucketName, OUTPUTS, type SpeechNames } from "../lib/config/deployment-names.ts";
import type { SpeechDevice } from "../lib/config/speech-catalog.ts";
import { containerImage, type ImageChoice } from "../lib/constructs/container-image.ts";
import type { DeploymentOptions } from "../lib/constructs/deployment-options.ts";
import { EndpointAlarms } from "../lib/constructs/endpoint-alarms.ts";
import { endpointContent } from "../lib/constructs/endpoint-content.ts";
import { EndpointDashboard } from "../lib/constructs/endpoint-dashboard.ts";
import { EndpointMetrics } from "../lib/constructs/endpoint-metrics.ts";
import { EndpointScaling, type ScaleOn } from "../lib/constructs/endpoint-scaling.ts";
import { SpeechEndpoint } from "../lib/constructs/speech-endpoint.ts";

export interface EndpointStackProps extends StackProps {
  readonly names: SpeechNames;
  readonly role: IRole;
  readonly image: ImageChoice;
  readonly modelPrefix: string;
  readonly device: SpeechDevice;
  readonly instanceType: string;
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly scaleOn: ScaleOn;
  readonly options: DeploymentOptions;
}

export class EndpointStack extends Stack {
  constructor(scope: Construct, id: string, props: EndpointStackProps) {
    super(scope, id, { ...props, description: "Speech: endpoint, scaling, alarms, dashboard" });
    const { names, device, minInstances } = props;
    const image = containerImage(this, names.repository, props.image);
    const metrics = new EndpointMetrics(names.endpoint, names.variant);
    const alarms = new EndpointAlarms(this, "Alarms", {
      endpointName: names.endpoint,
      metrics,
      device,
      minInstances,
      alarmTopicArn: props.options.alarmTopicArn,
    });
    const speech = new SpeechEndpoint(this, "Speech", {
      endpointName: names.endpoint,
      variantName: names.variant,
      role: props.role,
      image,
      modelBucketName: modelBucketName(names, this.account, this.region),
      content: endpointContent({ ...props, image: props.image.imageUri ?? props.image.imageTag! }),
      rollbackAlarms: alarms.rollback,
    });
    alarms.unhealthyHosts.node.addDependency(speech.endpoint);
    new EndpointScaling(this, "Scaling", { ...props, endpoint: speech.endpoint, variantName: names.variant });
    new EndpointDashboard(this, "Page", { endpointName: names.endpoint, metrics, device });
    for (const [key, value] of Object.entries({
      [OUTPUTS.endpointName]: speech.endpoint.attrEndpointName,
      [OUTPUTS.endpointConfigHash]: speech.configHash,
      [OUTPUTS.imageUri]: image.uri,
    })) {
      new CfnOutput(this, key, { value });
    }
  }
}
