/** The emulator's SageMaker, Application Auto Scaling and Service Quotas answer as AWS's do, through the official clients. */
import {
  ApplicationAutoScalingClient,
  DeregisterScalableTargetCommand,
  DescribeScalableTargetsCommand,
  DescribeScalingPoliciesCommand,
} from "@aws-sdk/client-application-auto-scaling";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import {
  CreateEndpointCommand,
  CreateEndpointConfigCommand,
  CreateModelCommand,
  DeleteEndpointCommand,
  DescribeEndpointCommand,
  SageMakerClient,
  UpdateEndpointCommand,
} from "@aws-sdk/client-sagemaker";
import {
  GetServiceQuotaCommand,
  ListAWSDefaultServiceQuotasCommand,
  paginateListServiceQuotas,
  ServiceQuotasClient,
} from "@aws-sdk/client-service-quotas";
import { beforeEach, describe, expect, it } from "vitest";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, prepareImages, python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";
import { speechTemplate, TEST_REPOSITORY } from "./speech-template.ts";
import { StackClient } from "./stack-client.ts";

const IMAGES = `${EMULATED_ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/${TEST_REPOSITORY}`;
const QUOTA = "ml.g5.xlarge for endpoint usage";
const TARGET = {
  ServiceNamespace: "sagemaker",
  ResourceId: "endpoint/speech/variant/main",
  ScalableDimension: "sagemaker:variant:DesiredInstanceCount",
} as const;

describe.skipIf(python === undefined)("the emulator's SageMaker", () => {
  const session = useEmulator();
  let sagemaker: SageMakerClient;
  const model = (name: string, image: string) =>
    sagemaker.send(
      new CreateModelCommand({
        ModelName: name,
        ExecutionRoleArn: `arn:aws:iam::${EMULATED_ACCOUNT}:role/speech`,
        PrimaryContainer: { Image: image },
      }),
    );
  const config = (name: string, modelName: string) =>
    sagemaker.send(
      new CreateEndpointConfigCommand({
        EndpointConfigName: name,
        ProductionVariants: [
          {
            VariantName: "main",
            ModelName: modelName,
            InstanceType: "ml.g5.xlarge",
            InitialInstanceCount: 1,
          },
        ],
      }),
    );
  const endpoint = () =>
    sagemaker.send(new CreateEndpointCommand({ EndpointName: "speech", EndpointConfigName: "config" }));
  const described = () => sagemaker.send(new DescribeEndpointCommand({ EndpointName: "speech" }));
  const becomes = (status: string) =>
    expect.poll(async () => (await described()).EndpointStatus).toBe(status);
  const update = () =>
    sagemaker.send(new UpdateEndpointCommand({ EndpointName: "speech", EndpointConfigName: "config" }));
  const remove = () => sagemaker.send(new DeleteEndpointCommand({ EndpointName: "speech" }));

  beforeEach(async () => {
    sagemaker = new SageMakerClient(CLIENT);
    await prepareImages(session.emulator, "a");
    await model("model", `${IMAGES}:a`);
    await config("config", "model");
  });

  it("brings an endpoint into service and says which digest its tag stands for", async () => {
    await session.emulator.delay({ endpoint_create: 1, endpoint_update: 1, endpoint_delete: 1 });
    const digest = await pushImage(session.emulator.url, TEST_REPOSITORY, "b");
    await model("model-b", `${IMAGES}:b`);
    await config("config-b", "model-b");
    await sagemaker.send(
      new CreateEndpointCommand({ EndpointName: "speech", EndpointConfigName: "config-b" }),
    );
    expect((await described()).EndpointStatus).toBe("Creating");
    await becomes("InService");
    expect((await described()).ProductionVariants![0]).toMatchObject({
      VariantName: "main",
      CurrentInstanceCount: 1,
      DesiredInstanceCount: 1,
      DeployedImages: [{ SpecifiedImage: `${IMAGES}:b`, ResolvedImage: `${IMAGES}@${digest}` }],
    });
    await update();
    await becomes("Updating");
    await becomes("InService");
    await remove();
    await becomes("Deleting");
    const whyNot = () => described().then(String, (error: Error) => error.message);
    await expect.poll(whyNot).toContain("Could not find endpoint");
  });

  it("fails an endpoint with its reason, which can then only be deleted", async () => {
    await session.emulator.inject({ kind: "endpoint", reason: "no ping", afterMs: 20 });
    await endpoint();
    await becomes("Failed");
    expect((await described()).FailureReason).toBe("no ping");
    await expect(update()).rejects.toMatchObject({ name: "ValidationException" });
    await remove();
  });

  it("keeps serving with the old configuration when an update fails", async () => {
    await endpoint();
    await becomes("InService");
    await config("config-b", "model");
    await session.emulator.inject({ kind: "endpoint", during: "update", reason: "no ping" });
    await sagemaker.send(
      new UpdateEndpointCommand({ EndpointName: "speech", EndpointConfigName: "config-b" }),
    );
    await becomes("InService");
    expect(await described()).toMatchObject({ EndpointConfigName: "config", FailureReason: "no ping" });
  });

  const refusals: readonly [string, () => Promise<unknown>, string][] = [
    ["an endpoint that is not there", () => described(), "Could not find endpoint"],
    ["a model of an image that is not there", () => model("m", `${IMAGES}:none`), "not found"],
    ["a model of an image from elsewhere", () => model("m", "docker.io/node:24"), "non-ECR image"],
    [
      "a model of an OCI image",
      async () => {
        await pushImage(session.emulator.url, TEST_REPOSITORY, "oci", { isOci: true });
        await model("m", `${IMAGES}:oci`);
      },
      "Unsupported manifest media type",
    ],
    ["a second model of a name", () => model("model", `${IMAGES}:a`), "already existing model"],
    ["a configuration of no model", () => config("c", "none"), "Could not find model"],
    ["a second endpoint of a name", () => endpoint().then(endpoint), "already existing endpoint"],
    ["the deletion of an endpoint in creation", () => endpoint().then(remove), "in-progress"],
    ["the update of an endpoint in creation", () => endpoint().then(update), "in-progress"],
  ];
  it.each(refusals)("fails %s", async (_what, call, message) => {
    await expect(call()).rejects.toMatchObject({
      name: "ValidationException",
      message: expect.stringContaining(message),
    });
  });

  describe("with scaling", () => {
    let scaling: ApplicationAutoScalingClient;
    const targets = async () =>
      (await scaling.send(new DescribeScalableTargetsCommand({ ServiceNamespace: "sagemaker" })))
        .ScalableTargets;

    beforeEach(async () => {
      scaling = new ApplicationAutoScalingClient(CLIENT);
      const stacks = new StackClient(new CloudFormationClient(CLIENT));
      await stacks.deploy("scaled", speechTemplate(EMULATED_ACCOUNT, { isScaled: true }));
    });

    it("tells target and policy, whose own alarm for scaling in rests in ALARM", async () => {
      expect(await targets()).toMatchObject([{ ...TARGET, MinCapacity: 1, MaxCapacity: 2 }]);
      const { ScalingPolicies } = await scaling.send(
        new DescribeScalingPoliciesCommand({ ServiceNamespace: "sagemaker", ResourceId: TARGET.ResourceId }),
      );
      expect(ScalingPolicies).toMatchObject([{ PolicyName: "load", PolicyType: "TargetTrackingScaling" }]);
      const { MetricAlarms } = await new CloudWatchClient(CLIENT).send(
        new DescribeAlarmsCommand({ StateValue: "ALARM" }),
      );
      expect(MetricAlarms!.map((alarm) => alarm.AlarmName)).toEqual([expect.stringContaining("AlarmLow")]);
    });

    it("gives a target up once", async () => {
      await scaling.send(new DeregisterScalableTargetCommand(TARGET));
      expect(await targets()).toEqual([]);
      await expect(scaling.send(new DeregisterScalableTargetCommand(TARGET))).rejects.toMatchObject({
        name: "ObjectNotFoundException",
      });
    });

    it("gives the target up with the endpoint, unless the caller may not", async () => {
      const allowed = await session.emulator.inject({
        kind: "call",
        action: "application-autoscaling:DeregisterScalableTarget",
      });
      await expect(remove()).rejects.toThrow("DeregisterScalableTarget permission");
      await allowed();
      await remove();
      expect(await targets()).toEqual([]);
    });

    it("keeps what the container printed where SageMaker puts it", async () => {
      const logs = new CloudWatchLogsClient(CLIENT);
      const logGroupName = "/aws/sagemaker/Endpoints/speech";
      const { logStreams } = await logs.send(new DescribeLogStreamsCommand({ logGroupName }));
      const { logStreamName } = logStreams![0]!;
      expect(logStreamName).toMatch(/^main\/i-/);
      const read = await logs.send(new GetLogEventsCommand({ logGroupName, logStreamName }));
      const found = await logs.send(new FilterLogEventsCommand({ logGroupName }));
      expect(read.events!.map((event) => event.message)).toEqual(found.events!.map((event) => event.message));
      expect(read.events!.at(-1)!.message).toContain("listening");
    });
  });

  it("tells quotas by pages, and refuses an endpoint above them", async () => {
    await session.emulator.inject({ kind: "quota", quota: QUOTA, value: 0 });
    const quotas = new ServiceQuotasClient(CLIENT);
    const found = [];
    for await (const page of paginateListServiceQuotas({ client: quotas }, { ServiceCode: "sagemaker" })) {
      found.push(...page.Quotas!);
    }
    const { QuotaCode } = found.find((quota) => quota.QuotaName === QUOTA)!;
    expect(found.find((quota) => quota.QuotaName === "ml.c7i.2xlarge for endpoint usage")!.Value).toBe(2);
    const { Quota } = await quotas.send(new GetServiceQuotaCommand({ ServiceCode: "sagemaker", QuotaCode }));
    expect(Quota!.Value).toBe(0);
    const defaults = await quotas.send(new ListAWSDefaultServiceQuotasCommand({ ServiceCode: "sagemaker" }));
    expect(defaults.Quotas![0]!.Value).toBe(0);
    await expect(endpoint()).rejects.toMatchObject({
      name: "ResourceLimitExceeded",
      message: expect.stringContaining(`'${QUOTA}' is 0 Instances`),
    });
  });
});
