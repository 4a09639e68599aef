/**
 * Model, configuration and endpoint. The alpha module's classes, with what they lack set on the resources beneath them:
 * weights as an uncompressed prefix, host image, both start-up time limits, deployment guardrails.
 */
import {
  ContainerImage as AlphaContainerImage,
  Endpoint,
  EndpointConfig,
  InstanceType,
  Model,
} from "@aws-cdk/aws-sagemaker-alpha";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { CfnEndpoint, CfnEndpointConfig, CfnModel } from "aws-cdk-lib/aws-sagemaker";
import { Construct } from "constructs";
import type { ContainerImage } from "./container-image.ts";
import { contentHash, type EndpointContent } from "./endpoint-content.ts";

/** The new instances bear the traffic this long, watched by the alarms, before the old ones go. 0 to 3600. */
const BAKING_SECONDS = 300;
/** An update that takes longer is rolled back; start-up may take both its time limits. 600 to 28800. */
const UPDATE_TIMEOUT_SECONDS = 3_600;

export interface SpeechEndpointProps {
  readonly endpointName: string;
  readonly variantName: string;
  readonly role: IRole;
  readonly image: ContainerImage;
  readonly modelBucketName: string;
  readonly content: EndpointContent;
  /** An update during which one of these rings is rolled back. */
  readonly rollbackAlarms: readonly Alarm[];
}

export class SpeechEndpoint extends Construct {
  /** Of the endpoint's configuration; also in its name. */
  readonly configHash: string;
  readonly endpoint: CfnEndpoint;

  constructor(scope: Construct, id: string, props: SpeechEndpointProps) {
    super(scope, id);
    const { content, endpointName } = props;
    this.configHash = contentHash(content);
    const name = `${endpointName}-${this.configHash}`;
    const model = this.#model(name, props);
    const config = this.#config(name, model, props);
    const endpoint = new Endpoint(this, "Endpoint", { endpointName, endpointConfig: config });
    this.endpoint = endpoint.node.findChild("Endpoint") as CfnEndpoint;
    this.endpoint.deploymentConfig = {
      blueGreenUpdatePolicy: {
        trafficRoutingConfiguration: { type: "ALL_AT_ONCE", waitIntervalInSeconds: BAKING_SECONDS },
        maximumExecutionTimeoutInSeconds: UPDATE_TIMEOUT_SECONDS,
      },
      autoRollbackConfiguration: { alarms: props.rollbackAlarms.map(({ alarmName }) => ({ alarmName })) },
    };
    // An update keeps the number of instances that scaling has come to.
    this.endpoint.retainAllVariantProperties = true;
  }

  #model(modelName: string, { role, image, modelBucketName, content }: SpeechEndpointProps): Model {
    const model = new Model(this, "Model", {
      modelName,
      role,
      // Weights are mounted, speech comes in and goes out through SageMaker: the container needs no network.
      networkIsolation: true,
      containers: [{ image: new ImageOf(image.uri), environment: { ...content.environment } }],
    });
    (model.node.findChild("Model") as CfnModel).addPropertyOverride("PrimaryContainer.ModelDataSource", {
      S3DataSource: {
        S3Uri: `s3://${modelBucketName}/${content.modelPrefix}`,
        S3DataType: "S3Prefix",
        CompressionType: "None",
      },
    });
    return model;
  }

  #config(endpointConfigName: string, model: Model, { variantName, content }: SpeechEndpointProps) {
    const config = new EndpointConfig(this, "Config", {
      endpointConfigName,
      instanceProductionVariants: [
        {
          model,
          variantName,
          instanceType: InstanceType.of(content.instanceType),
          initialInstanceCount: content.instanceCount,
        },
      ],
    });
    const resource = config.node.findChild("EndpointConfig") as CfnEndpointConfig;
    const overrides = {
      ModelDataDownloadTimeoutInSeconds: content.modelDownloadTimeoutSeconds,
      ContainerStartupHealthCheckTimeoutInSeconds: content.startupHealthCheckTimeoutSeconds,
      InferenceAmiVersion: content.inferenceAmiVersion,
    };
    for (const [name, value] of Object.entries(overrides)) {
      if (value !== undefined) resource.addPropertyOverride(`ProductionVariants.0.${name}`, value);
    }
    return config;
  }
}

/** Grants nothing: the role is made with all its permissions. */
class ImageOf extends AlphaContainerImage {
  readonly #imageName: string;

  constructor(imageName: string) {
    super();
    this.#imageName = imageName;
  }

  override bind(): { imageName: string } {
    return { imageName: this.#imageName };
  }
}
