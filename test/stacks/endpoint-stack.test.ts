/** The endpoint: what runs, what a change does to it, how it grows, what rings. */
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import type { SpeechAppProps } from "../../stacks/speech-app.ts";
import { speech, type TemplateResource } from "../helpers/synthesized-apps.ts";

const STACK = "speech-kokoro-82m-endpoint";
const template = (changes: Partial<SpeechAppProps> = {}) => speech(changes).template(STACK);

function resource(type: string, changes: Partial<SpeechAppProps> = {}): TemplateResource {
  const found = [...speech(changes).resources].find(
    ([id, { Type }]) => /-endpoint\//.test(id) && Type === type,
  );
  return found![1];
}

const config = (changes: Partial<SpeechAppProps>) =>
  resource("AWS::SageMaker::EndpointConfig", changes).Properties;
const model = (changes: Partial<SpeechAppProps>) => resource("AWS::SageMaker::Model", changes).Properties;

describe("the model", () => {
  it("mounts the uncompressed prefix, without a network", () => {
    template().hasResourceProperties("AWS::SageMaker::Model", {
      EnableNetworkIsolation: true,
      PrimaryContainer: {
        Image: {
          "Fn::Join": [
            "",
            ["123456789012.dkr.ecr.eu-west-1.", { Ref: "AWS::URLSuffix" }, "/speech-kokoro-82m:0123abcd"],
          ],
        },
        Environment: { HOST: "0.0.0.0", KOKORO_DEVICE: "cuda" },
        ModelDataSource: {
          S3DataSource: {
            S3Uri: "s3://speech-kokoro-82m-123456789012-eu-west-1/model/",
            S3DataType: "S3Prefix",
            CompressionType: "None",
          },
        },
      },
    });
  });

  it("runs a foreign image as it is", () => {
    const imageUri = "999999999999.dkr.ecr.us-east-1.example.org/team/tts:1";
    expect(model({ imageTag: undefined, imageUri }).PrimaryContainer).toMatchObject({ Image: imageUri });
  });

  it.each([
    [{ imageTag: undefined }, "give either imageTag or imageUri"],
    [{ imageUri: "999999999999.dkr.ecr.us-east-1.example.org/tts:1" }, "give either imageTag or imageUri"],
    [{ imageTag: "no spaces" }, "imageTag must be a tag"],
    [{ imageTag: undefined, imageUri: "docker.io/library/tts:1" }, "imageUri must be an image in ECR"],
    [{ imageTag: undefined, imageUri: "999999999999.dkr.ecr.us-east-1.example.org/tts" }, "imageUri must be"],
  ])("fails for the image %j", (changes, words) => {
    expect(() => speech(changes)).toThrow(words);
  });
});

describe("the configuration", () => {
  it("gives a GPU its host image, and both start-up limits", () => {
    expect(config({}).ProductionVariants).toEqual([
      {
        VariantName: "main",
        ModelName: { "Fn::GetAtt": [expect.stringMatching(/^SpeechModel/), "ModelName"] },
        InstanceType: "ml.g5.xlarge",
        InitialInstanceCount: 1,
        InitialVariantWeight: 1,
        InferenceAmiVersion: "al2023-ami-sagemaker-inference-gpu-4-1",
        ModelDataDownloadTimeoutInSeconds: 600,
        ContainerStartupHealthCheckTimeoutInSeconds: 600,
      },
    ]);
  });

  it("leaves a CPU's host image to SageMaker", () => {
    const [variant] = config({ modelId: "kokoro-82m-cpu" }).ProductionVariants as object[];
    expect(variant).toMatchObject({ InstanceType: "ml.c7i.2xlarge" });
    expect(variant).not.toHaveProperty("InferenceAmiVersion");
    expect(model({ modelId: "kokoro-82m-cpu" }).PrimaryContainer).toMatchObject({
      Environment: { KOKORO_DEVICE: "cpu" },
    });
  });

  it("takes another instance type", () => {
    expect(config({ instanceType: "ml.g6.xlarge" }).ProductionVariants).toMatchObject([
      { InstanceType: "ml.g6.xlarge" },
    ]);
  });
});

describe("an instance type", () => {
  it.each(["ml.g4dn.xlarge", "ml.g5.2xlarge", "ml.g6e.xlarge", "ml.p4d.24xlarge"])(
    "with a GPU runs the CUDA image: %s",
    (instanceType) => {
      expect(JSON.stringify(config({ instanceType }))).toContain(instanceType);
    },
  );

  it.each([
    ["kokoro-82m", "g5.xlarge", "one of SageMaker's"],
    ["kokoro-82m", "ml.g5", "one of SageMaker's"],
    ["kokoro-82m", "ml.c7i.2xlarge", "must have an NVIDIA GPU"],
    ["kokoro-82m", "ml.g5g.xlarge", "an x86 one"],
    ["kokoro-82m-cpu", "ml.c7g.xlarge", "an x86 one"],
    ["kokoro-82m-cpu", "ml.m6gd.xlarge", "an x86 one"],
  ])("fails where the image could not run: %s on %s", (modelId, instanceType, words) => {
    expect(() => speech({ modelId, instanceType })).toThrow(words);
  });
});

describe("the hash in the names", () => {
  const CHANGES: Partial<SpeechAppProps>[] = [
    { imageTag: "89ef" },
    { imageTag: undefined, imageUri: "999999999999.dkr.ecr.us-east-1.example.org/tts:1" },
    { modelPrefix: "model/2/" },
    { instanceType: "ml.g6.xlarge" },
    { modelId: "kokoro-82m-cpu", instanceType: "ml.g5.xlarge" },
  ];

  it("is a new one whenever model or configuration differ in anything, so that the endpoint is updated", () => {
    const all = [{}, ...CHANGES];
    const names = all.map((changes) => config(changes).EndpointConfigName as string);
    expect(names.map((name) => name.replace(/-cpu/, ""))).toEqual(
      names.map(() => expect.stringMatching(/^speech-kokoro-82m-[0-9a-f]{10}$/)),
    );
    const contents = all.map((changes) => content(changes));
    expect(new Set(contents).size).toBe(all.length);
    expect(new Set(names).size).toBe(all.length);
    for (const changes of all) expect(model(changes).ModelName).toBe(config(changes).EndpointConfigName);
  });

  it.each([
    { minInstances: 2 },
    { maxInstances: 5 },
    { scaleOn: "invocations" },
    { options: { logRetentionDays: 7 } },
  ] as const)("stays where nothing of theirs changed: %j", (changes) => {
    expect(content(changes)).toBe(content({}));
    expect(config(changes).EndpointConfigName).toBe(config({}).EndpointConfigName);
  });

  it("is told as an output, and is the same in every account", () => {
    const hash = (config({}).EndpointConfigName as string).slice(-10);
    template().hasOutput("EndpointConfigHash", { Value: hash });
    template({ account: undefined, region: undefined }).hasOutput("EndpointConfigHash", { Value: hash });
  });

  function content(changes: Partial<SpeechAppProps>): string {
    const { ModelName: _model, ...model_ } = model(changes);
    const { EndpointConfigName: _config, ...config_ } = config(changes);
    return JSON.stringify([model_, config_]).replaceAll("kokoro-82m-cpu", "kokoro-82m");
  }
});

describe("the endpoint", () => {
  it("is updated blue/green, and rolled back when it fails", () => {
    template().hasResourceProperties("AWS::SageMaker::Endpoint", {
      EndpointName: "speech-kokoro-82m",
      RetainAllVariantProperties: true,
      DeploymentConfig: {
        BlueGreenUpdatePolicy: Match.objectLike({
          TrafficRoutingConfiguration: { Type: "ALL_AT_ONCE", WaitIntervalInSeconds: 300 },
        }),
        AutoRollbackConfiguration: {
          Alarms: [
            { AlarmName: { Ref: Match.stringLikeRegexp("^Alarms5xx") } },
            { AlarmName: { Ref: Match.stringLikeRegexp("^Alarmsplatformerrors") } },
          ],
        },
      },
    });
  });
});

describe("scaling", () => {
  it("follows how many requests an instance is busy with", () => {
    template().hasResourceProperties("AWS::ApplicationAutoScaling::ScalableTarget", {
      MinCapacity: 1,
      MaxCapacity: 2,
      ScalableDimension: "sagemaker:variant:DesiredInstanceCount",
      RoleARN: Match.absent(),
    });
    template().hasResourceProperties(
      "AWS::ApplicationAutoScaling::ScalingPolicy",
      policy("SageMakerVariantConcurrentRequestsPerModelHighResolution", 8),
    );
  });

  it("or how many begin in a minute", () => {
    template({ scaleOn: "invocations" }).hasResourceProperties(
      "AWS::ApplicationAutoScaling::ScalingPolicy",
      policy("SageMakerVariantInvocationsPerInstance", 240),
    );
  });

  it("is given up before the endpoint goes, because it refers to it", () => {
    const { ResourceId } = resource("AWS::ApplicationAutoScaling::ScalableTarget").Properties;
    expect(JSON.stringify(ResourceId)).toMatch(/"Fn::GetAtt":\["SpeechEndpoint\w+","EndpointName"\]/);
  });

  it("never has a greatest below its least", () => {
    expect(
      resource("AWS::ApplicationAutoScaling::ScalableTarget", { minInstances: 4 }).Properties,
    ).toMatchObject({
      MinCapacity: 4,
      MaxCapacity: 4,
    });
  });

  it.each([{ minInstances: 0 }, { minInstances: 1.5 }, { minInstances: 3, maxInstances: 2 }])(
    "fails for %j",
    (changes) => {
      expect(() => speech(changes)).toThrow(/^minInstances must be a whole number from 1/);
    },
  );

  function policy(PredefinedMetricType: string, TargetValue: number) {
    return {
      PolicyType: "TargetTrackingScaling",
      TargetTrackingScalingPolicyConfiguration: {
        PredefinedMetricSpecification: { PredefinedMetricType },
        TargetValue,
      },
    };
  }
});

describe("alarms", () => {
  it("ring for late first answers, 5xx, no answers and lost hosts", () => {
    const alarms = [...speech().resources.values()].filter(({ Type }) => Type === "AWS::CloudWatch::Alarm");
    expect(alarms.map(({ Properties }) => [Properties.AlarmName, Properties.TreatMissingData])).toEqual([
      ["speech-kokoro-82m-5xx", "notBreaching"],
      ["speech-kokoro-82m-platform-errors", "notBreaching"],
      ["speech-kokoro-82m-latency-p95", "notBreaching"],
      ["speech-kokoro-82m-unhealthy-hosts", "breaching"],
    ]);
    template().hasResourceProperties("AWS::CloudWatch::Alarm", {
      MetricName: "ModelLatency",
      ExtendedStatistic: "p95",
      Threshold: 2_000_000,
    });
  });

  it("allow CPUs the time of a paragraph in one piece", () => {
    speech({ modelId: "kokoro-82m-cpu" })
      .template("speech-kokoro-82m-cpu-endpoint")
      .hasResourceProperties("AWS::CloudWatch::Alarm", { MetricName: "ModelLatency", Threshold: 15_000_000 });
  });

  it("count as platform errors only what neither caller nor container answered for", () => {
    template().hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: "speech-kokoro-82m-platform-errors",
      Metrics: Match.arrayWith([
        Match.objectLike({ Expression: "FILL(all, 0) - FILL(refused, 0) - FILL(failed, 0)" }),
      ]),
    });
  });

  it("do not ring for lost hosts before there are any", () => {
    template().hasResource("AWS::CloudWatch::Alarm", {
      Properties: { AlarmName: "speech-kokoro-82m-unhealthy-hosts" },
      DependsOn: [Match.stringLikeRegexp("^SpeechEndpoint")],
    });
  });

  it("tell a topic, when there is one", () => {
    const alarmTopicArn = "arn:aws-cn:sns:cn-north-1:123456789012:alarms";
    const told = template({ options: { alarmTopicArn } }).findResources("AWS::CloudWatch::Alarm", {
      Properties: { AlarmActions: [alarmTopicArn] },
    });
    expect(Object.keys(told)).toHaveLength(4);
  });
});

it("has a page whose name is free in every region", () => {
  template().hasResourceProperties("AWS::CloudWatch::Dashboard", {
    DashboardName: "speech-kokoro-82m-eu-west-1",
    DashboardBody: Match.anyValue(),
  });
});
