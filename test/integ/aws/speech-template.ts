/** The least template of an endpoint, and what must be there before it. */
import type { Resources } from "./stack-client.ts";

export interface SpeechTemplateChoice {
  /** Part of the names of model and configuration: another one replaces both. */
  readonly version?: string;
  readonly instanceType?: string;
  readonly isScaled?: boolean;
  readonly image?: string;
}

/** A tag of this is pushed by the tests before. */
export const TEST_REPOSITORY = "speech";

export function speechTemplate(account: string, choice: SpeechTemplateChoice = {}): Resources {
  const { version = "a", instanceType = "ml.g5.xlarge", isScaled = false } = choice;
  const image = choice.image ?? `${account}.dkr.ecr.us-east-1.amazonaws.com/${TEST_REPOSITORY}:${version}`;
  const resources: Record<string, Resources[string]> = {
    Model: {
      Type: "AWS::SageMaker::Model",
      Properties: {
        ModelName: `model-${version}`,
        ExecutionRoleArn: `arn:aws:iam::${account}:role/speech`,
        PrimaryContainer: { Image: image },
      },
    },
    Config: {
      Type: "AWS::SageMaker::EndpointConfig",
      Properties: {
        EndpointConfigName: `config-${version}`,
        ProductionVariants: [
          {
            VariantName: "main",
            ModelName: { "Fn::GetAtt": ["Model", "ModelName"] },
            InstanceType: instanceType,
            InitialInstanceCount: 1,
          },
        ],
      },
    },
    Endpoint: {
      Type: "AWS::SageMaker::Endpoint",
      Properties: {
        EndpointName: "speech",
        EndpointConfigName: { "Fn::GetAtt": ["Config", "EndpointConfigName"] },
      },
    },
  };
  if (isScaled) Object.assign(resources, SCALING);
  return resources;
}

const SCALING: Resources = {
  Target: {
    Type: "AWS::ApplicationAutoScaling::ScalableTarget",
    Properties: {
      ServiceNamespace: "sagemaker",
      ScalableDimension: "sagemaker:variant:DesiredInstanceCount",
      ResourceId: {
        "Fn::Join": ["/", ["endpoint", { "Fn::GetAtt": ["Endpoint", "EndpointName"] }, "variant", "main"]],
      },
      MinCapacity: 1,
      MaxCapacity: 2,
    },
  },
  Policy: {
    Type: "AWS::ApplicationAutoScaling::ScalingPolicy",
    Properties: {
      PolicyName: "load",
      PolicyType: "TargetTrackingScaling",
      ScalingTargetId: { Ref: "Target" },
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 4,
        PredefinedMetricSpecification: {
          PredefinedMetricType: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
        },
      },
    },
  },
};
