/** All stacks go up, change and come down in the emulator, in the order and with the steps between them of a deployment. */
import { BatchGetBuildsCommand, CodeBuildClient, StartBuildCommand } from "@aws-sdk/client-codebuild";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DescribeEndpointCommand, SageMakerClient } from "@aws-sdk/client-sagemaker";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  agentNames,
  buildBucketName,
  modelBucketName,
  type SpeechNames,
  speechNames,
} from "../../../lib/config/deployment-names.ts";
import { agentApp } from "../../../stacks/agent-app.ts";
import { type SpeechAppProps, speechApp } from "../../../stacks/speech-app.ts";
import {
  type AwsEmulator,
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { CdkSession } from "./cdk-session.ts";
import { CLIENT, python } from "./emulator-session.ts";
import { imageSource } from "./source-zip.ts";

const SPEECH: SpeechNames = speechNames("kokoro-82m", "main");
const AGENT = agentNames("main");
const PLACE = { stage: "main", account, region };
const speech = (imageTag: string, other: Partial<SpeechAppProps> = {}) =>
  speechApp({ ...PLACE, modelId: "kokoro-82m", imageTag, ...other });
const agent = (imageTag: string) =>
  agentApp({
    ...PLACE,
    imageTag,
    bedrockModelId: "us.amazon.nova-lite-v1:0",
    speechEndpointName: SPEECH.endpoint,
  });

// One test after the other: each goes on from where the last one left the account.
describe.skipIf(python === undefined)("the stacks in the emulator", () => {
  let emulator: AwsEmulator;
  const cdk = new CdkSession();

  beforeAll(async () => {
    emulator = await startAwsEmulator(python!);
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
    await bootstrapEmulator(emulator);
  });
  afterAll(async () => {
    await emulator?.close();
    vi.unstubAllEnvs();
  });

  const configOf = async () => {
    const found = await new SageMakerClient(CLIENT).send(
      new DescribeEndpointCommand({ EndpointName: SPEECH.endpoint }),
    );
    return found.EndpointConfigName!;
  };

  it("go up: foundation, image, weights, endpoint", async () => {
    await cdk.deploy(speech("one"), SPEECH.stacks.foundation, SPEECH.stacks.modelCache);
    await build(SPEECH.buildProject, SPEECH.repository, "one");
    await upload(modelBucketName(SPEECH, account, region), "model/manifest.json");
    await cdk.deploy(speech("one"), SPEECH.stacks.endpoint);
    expect(await emulator.state()).toMatchObject({
      endpoints: { [SPEECH.endpoint]: "InService" },
      scalableTargets: [`endpoint/${SPEECH.endpoint}/variant/${SPEECH.variant}`],
      repositories: { [SPEECH.repository]: ["one"] },
    });
  });

  it("stay as they are when nothing changed", async () => {
    const changes = async () => {
      const { calls } = await emulator.state();
      return calls.filter((call) => call === "cloudformation:ExecuteChangeSet").length;
    };
    const before = [await configOf(), await changes()];
    await cdk.bootstrap();
    await cdk.deploy(speech("one"), ...Object.values(SPEECH.stacks));
    expect([await configOf(), await changes()]).toEqual(before);
  });

  it("move the endpoint to a new image and clear the old configuration away", async () => {
    const before = await configOf();
    await build(SPEECH.buildProject, SPEECH.repository, "two");
    await cdk.deploy(speech("two"), ...Object.values(SPEECH.stacks));
    const after = await configOf();
    expect(after).not.toBe(before);
    expect(await emulator.state()).toMatchObject({ endpointConfigs: [after], models: [expect.any(String)] });
  });

  it("fail and go back when the new fleet does not start", async () => {
    const before = await configOf();
    await build(SPEECH.buildProject, SPEECH.repository, "three");
    await emulator.inject({ kind: "endpoint", during: "update", reason: "no ping", times: 1 });
    await expect(cdk.deploy(speech("three"), SPEECH.stacks.endpoint)).rejects.toThrow("no ping");
    expect(await configOf()).toBe(before);
    await cdk.deploy(speech("three"), SPEECH.stacks.endpoint);
    expect(await configOf()).not.toBe(before);
  });

  it("bring the agent up beside it", async () => {
    await cdk.deploy(agent("one"), AGENT.stacks.foundation);
    await build(AGENT.buildProject, AGENT.repository, "one");
    await cdk.deploy(agent("one"), AGENT.stacks.runtime);
    expect((await emulator.state()).runtimes).toEqual({ [AGENT.runtime]: "READY" });
  });

  it("come down and keep images and weights, which the next deployment adopts", async () => {
    const down = async () => {
      await cdk.destroy(agent("one"), ...Object.values(AGENT.stacks));
      await cdk.destroy(speech("three"), ...Object.values(SPEECH.stacks));
    };
    const kept = {
      repositories: { [SPEECH.repository]: ["one", "three", "two"], [AGENT.repository]: ["one"] },
      buckets: { [modelBucketName(SPEECH, account, region)]: 1 },
    };
    await down();
    const nothing = { endpoints: {}, endpointConfigs: [], models: [], scalableTargets: [], runtimes: {} };
    expect(await emulator.state()).toMatchObject({ ...nothing, ...kept });
    await cdk.deploy(speech("three"), ...Object.values(SPEECH.stacks));
    await cdk.deploy(agent("one"), ...Object.values(AGENT.stacks));
    expect(await emulator.state()).toMatchObject({
      endpoints: { [SPEECH.endpoint]: "InService" },
      runtimes: { [AGENT.runtime]: "READY" },
      ...kept,
    });
    await down();
    expect(await emulator.state()).toMatchObject({ ...nothing, ...kept });
  });
});

async function upload(bucket: string, key: string, body: string | Buffer = "{}"): Promise<void> {
  const s3 = new S3Client({ ...CLIENT, forcePathStyle: true });
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
}

/** As the command builds remotely: source into the bucket, a build, an image in the repository. */
async function build(projectName: string, repository: string, tag: string): Promise<void> {
  const bucket = buildBucketName(repository, account, region);
  await upload(bucket, "source.zip", imageSource(repository === AGENT.repository ? "agent" : "tts"));
  const builds = new CodeBuildClient(CLIENT);
  const { build: started } = await builds.send(
    new StartBuildCommand({
      projectName,
      sourceTypeOverride: "S3",
      sourceLocationOverride: `${bucket}/source.zip`,
      environmentVariablesOverride: [{ name: "IMAGE_TAG", value: tag }],
    }),
  );
  const status = async () => {
    const { builds: found } = await builds.send(new BatchGetBuildsCommand({ ids: [started!.id!] }));
    return found![0]!.buildStatus;
  };
  await expect.poll(status, { timeout: 10_000 }).toBe("SUCCEEDED");
}
