/** What a test injects goes wrong as it does on AWS, in each protocol; and no emulator outlives its test. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  ApplicationAutoScalingClient,
  DescribeScalableTargetsCommand,
} from "@aws-sdk/client-application-auto-scaling";
import { BedrockClient, ListFoundationModelsCommand } from "@aws-sdk/client-bedrock";
import {
  BedrockAgentCoreControlClient,
  ListAgentRuntimesCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { CodeBuildClient, ListProjectsCommand } from "@aws-sdk/client-codebuild";
import { DescribeRepositoriesCommand, ECRClient } from "@aws-sdk/client-ecr";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DescribeEndpointCommand, ListEndpointsCommand, SageMakerClient } from "@aws-sdk/client-sagemaker";
import { ListServiceQuotasCommand, ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { Upload } from "@aws-sdk/lib-storage";
import { describe, expect, it } from "vitest";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, python, useEmulator } from "./emulator-session.ts";
import { StackClient } from "./stack-client.ts";

const s3Client = () => new S3Client({ ...CLIENT, forcePathStyle: true });
const CALLS: readonly [string, () => Promise<unknown>][] = [
  ["sts:GetCallerIdentity", () => new STSClient(CLIENT).send(new GetCallerIdentityCommand({}))],
  [
    "cloudformation:DescribeStacks",
    () => new CloudFormationClient(CLIENT).send(new DescribeStacksCommand({})),
  ],
  ["s3:CreateBucket", () => s3Client().send(new CreateBucketCommand({ Bucket: "denied" }))],
  ["sagemaker:ListEndpoints", () => new SageMakerClient(CLIENT).send(new ListEndpointsCommand({}))],
  ["ecr:DescribeRepositories", () => new ECRClient(CLIENT).send(new DescribeRepositoriesCommand({}))],
  ["codebuild:ListProjects", () => new CodeBuildClient(CLIENT).send(new ListProjectsCommand({}))],
  ["logs:DescribeLogGroups", () => new CloudWatchLogsClient(CLIENT).send(new DescribeLogGroupsCommand({}))],
  ["cloudwatch:DescribeAlarms", () => new CloudWatchClient(CLIENT).send(new DescribeAlarmsCommand({}))],
  ["ssm:GetParameter", () => new SSMClient(CLIENT).send(new GetParameterCommand({ Name: "/a" }))],
  ["bedrock:ListFoundationModels", () => new BedrockClient(CLIENT).send(new ListFoundationModelsCommand({}))],
  [
    "bedrock-agentcore:ListAgentRuntimes",
    () => new BedrockAgentCoreControlClient(CLIENT).send(new ListAgentRuntimesCommand({})),
  ],
  [
    "servicequotas:ListServiceQuotas",
    () => new ServiceQuotasClient(CLIENT).send(new ListServiceQuotasCommand({ ServiceCode: "sagemaker" })),
  ],
  [
    "application-autoscaling:DescribeScalableTargets",
    () =>
      new ApplicationAutoScalingClient(CLIENT).send(
        new DescribeScalableTargetsCommand({ ServiceNamespace: "sagemaker" }),
      ),
  ],
];

describe.skipIf(python === undefined)("a fault injected into the emulator", () => {
  const session = useEmulator();

  it.each(CALLS)("fails %s: denied, then with an expired token, then no more", async (action, call) => {
    const allowed = await session.emulator.inject({ kind: "call", action });
    await expect(call()).rejects.toMatchObject({ name: expect.stringMatching(/^AccessDenied(Exception)?$/) });
    await allowed();
    await session.emulator.inject({ kind: "call", action: "*", error: "ExpiredToken", times: 1 });
    await expect(call()).rejects.toMatchObject({ name: expect.stringMatching(/^ExpiredToken(Exception)?$/) });
    await call().catch((error: Error) => expect(error.name).toBe("ParameterNotFound"));
    expect((await session.emulator.state()).calls).toEqual([action, action, action]);
  });

  it("fails an upload after so many bytes, and lets it go on when mended", async () => {
    const client = s3Client();
    await client.send(new CreateBucketCommand({ Bucket: "weights" }));
    const mended = await session.emulator.inject({ kind: "upload", afterBytes: 6 * 1024 * 1024 });
    const upload = () =>
      new Upload({
        client,
        params: { Bucket: "weights", Key: "model", Body: Buffer.alloc(11 * 1024 * 1024) },
        queueSize: 1,
      }).done();
    await expect(upload()).rejects.toMatchObject({ name: "AccessDenied" });
    expect((await session.emulator.state()).buckets.weights).toBe(0);
    await mended();
    await upload();
    expect((await session.emulator.state()).buckets.weights).toBe(1);
  });

  it("fails an upload after so many requests, as the test words it", async () => {
    const client = s3Client();
    await client.send(new CreateBucketCommand({ Bucket: "weights" }));
    await session.emulator.inject({ kind: "upload", afterRequests: 2, error: "SlowDown" });
    const put = (Key: string) => client.send(new PutObjectCommand({ Bucket: "weights", Key, Body: "1" }));
    await put("a");
    await put("b");
    await expect(put("c")).rejects.toMatchObject({ name: "SlowDown" });
  });

  it("fails one resource of one stack", async () => {
    const stacks = new StackClient(new CloudFormationClient(CLIENT));
    const resources = { Group: { Type: "AWS::Logs::LogGroup", Properties: { LogGroupName: "group" } } };
    await session.emulator.inject({
      kind: "create",
      stack: "first",
      logicalId: "Gro",
      reason: "no more groups",
    });
    expect(await stacks.deploy("first", resources)).toBe("ROLLBACK_COMPLETE");
    expect(await stacks.failures("first")).toEqual(["no more groups"]);
    expect(await stacks.deploy("second", resources)).toBe("CREATE_COMPLETE");
  });

  it("rings an alarm by the service's own SetAlarmState", async () => {
    const stacks = new StackClient(new CloudFormationClient(CLIENT));
    const cloudwatch = new CloudWatchClient(CLIENT);
    await stacks.deploy("alarms", {
      Alarm: {
        Type: "AWS::CloudWatch::Alarm",
        Properties: {
          AlarmName: "speech-5xx",
          Namespace: "AWS/SageMaker",
          MetricName: "Invocation5XXErrors",
          Statistic: "Sum",
          Period: 60,
          EvaluationPeriods: 1,
          Threshold: 1,
          ComparisonOperator: "GreaterThanThreshold",
        },
      },
    });
    await cloudwatch.send(
      new SetAlarmStateCommand({ AlarmName: "speech-5xx", StateValue: "ALARM", StateReason: "test" }),
    );
    const { MetricAlarms } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNamePrefix: "speech" }));
    expect(MetricAlarms).toMatchObject([{ AlarmName: "speech-5xx", StateValue: "ALARM" }]);
  });

  it("refuses what a policy does not allow, and keeps account of it", async () => {
    const sagemaker = new SageMakerClient(CLIENT);
    const describe = (EndpointName: string) =>
      sagemaker.send(new DescribeEndpointCommand({ EndpointName })).catch((error: Error) => error.name);
    const arn = (name: string) => `arn:aws:sagemaker:us-east-1:${EMULATED_ACCOUNT}:endpoint/${name}`;
    await session.emulator.allowOnly({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "sagemaker:DescribeEndpoint", Resource: arn("speech-*") }],
    });
    expect(await describe("speech-a")).toBe("ValidationException");
    expect(await describe("other")).toBe("AccessDeniedException");
    await new STSClient(CLIENT).send(new GetCallerIdentityCommand({}));
    const { refused } = await session.emulator.state();
    expect(refused).toEqual([{ action: "sagemaker:DescribeEndpoint", resource: arn("other") }]);
    await session.emulator.allowOnly(undefined);
    expect(await describe("other")).toBe("ValidationException");
  });

  it("ends with its test process, however that one ends", async () => {
    const helper = new URL("../../helpers/aws-emulator/aws-emulator.ts", import.meta.url);
    const program = `
      const { emulatorPython, startAwsEmulator } = await import(${JSON.stringify(helper.href)});
      console.log((await startAwsEmulator(await emulatorPython())).url);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: fileURLToPath(new URL("../../../", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = await new Promise<string>((resolve) =>
      child.stdout.once("data", (text) => resolve(String(text).trim())),
    );
    const answers = () =>
      fetch(`${url}/_emulator/state`).then(
        (answer) => answer.ok,
        () => false,
      );
    expect(await answers()).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(answers, { timeout: 5_000 }).toBe(false);
  });
});
