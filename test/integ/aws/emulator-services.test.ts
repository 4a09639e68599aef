/** The emulator's S3, ECR, CodeBuild, Bedrock and AgentCore answer as AWS's do, through the official clients. */
import {
  BedrockClient,
  GetFoundationModelAvailabilityCommand,
  GetFoundationModelCommand,
  GetInferenceProfileCommand,
  ListFoundationModelsCommand,
} from "@aws-sdk/client-bedrock";
import { BedrockAgentCoreClient, InvokeAgentRuntimeCommand } from "@aws-sdk/client-bedrock-agentcore";
import {
  BedrockAgentCoreControlClient,
  GetAgentRuntimeCommand,
  GetAgentRuntimeEndpointCommand,
  ListAgentRuntimesCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, GetLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  BatchGetBuildsCommand,
  CodeBuildClient,
  StartBuildCommand,
  StopBuildCommand,
} from "@aws-sdk/client-codebuild";
import {
  BatchGetImageCommand,
  CreateRepositoryCommand,
  DeleteRepositoryCommand,
  DescribeImagesCommand,
  ECRClient,
  GetDownloadUrlForLayerCommand,
} from "@aws-sdk/client-ecr";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { beforeEach, describe, expect, it } from "vitest";
import { readAgentEvent } from "../../../lib/protocol/agent-events.ts";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, prepareImages, python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";
import { TEST_REPOSITORY } from "./speech-template.ts";
import { type Resources, StackClient } from "./stack-client.ts";

const LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming";
const REPOSITORY_URI = `${EMULATED_ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/${TEST_REPOSITORY}`;

describe.skipIf(python === undefined)("the emulator", () => {
  const session = useEmulator();
  let stacks: StackClient;
  beforeEach(() => {
    stacks = new StackClient(new CloudFormationClient(CLIENT));
  });

  it("says whose the credentials are", async () => {
    const { Account } = await new STSClient(CLIENT).send(new GetCallerIdentityCommand({}));
    expect(Account).toBe(EMULATED_ACCOUNT);
  });

  it("fails to delete a bucket that holds a version or a delete marker", async () => {
    const s3 = new S3Client({ ...CLIENT, forcePathStyle: true });
    const Bucket = "versioned";
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }));
    await s3.send(new PutObjectCommand({ Bucket, Key: "a", Body: "1" }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
    const refused = { name: "BucketNotEmpty" };
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject(refused);
    const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    for (const { VersionId } of Versions!)
      await s3.send(new DeleteObjectCommand({ Bucket, Key: "a", VersionId }));
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject(refused);
    for (const { VersionId } of DeleteMarkers!) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key: "a", VersionId }));
    }
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });

  describe("ECR", () => {
    let ecr: ECRClient;
    beforeEach(async () => {
      ecr = new ECRClient(CLIENT);
      await prepareImages(session.emulator, "a");
    });

    it("gives back what was pushed: manifest, size, and the config with its label", async () => {
      expect(await labelsOf(ecr, "a")).toEqual({ labels: { tag: "a" }, architecture: "amd64" });
      const { imageDetails } = await ecr.send(
        new DescribeImagesCommand({ repositoryName: TEST_REPOSITORY, imageIds: [{ imageTag: "a" }] }),
      );
      expect(imageDetails).toMatchObject([{ imageTags: ["a"], imageSizeInBytes: expect.any(Number) }]);
      await expect(
        ecr.send(
          new DescribeImagesCommand({ repositoryName: TEST_REPOSITORY, imageIds: [{ imageTag: "b" }] }),
        ),
      ).rejects.toMatchObject({ name: "ImageNotFoundException" });
    });

    it("fails to move a tag that stands", async () => {
      const moved = pushImage(session.emulator.url, TEST_REPOSITORY, "a", { labels: { tag: "other" } });
      await expect(moved).rejects.toThrow("immutable");
    });

    it("fails to delete a repository with images, unless forced", async () => {
      const refused = ecr.send(new DeleteRepositoryCommand({ repositoryName: TEST_REPOSITORY }));
      await expect(refused).rejects.toMatchObject({ name: "RepositoryNotEmptyException" });
      await ecr.send(new DeleteRepositoryCommand({ repositoryName: TEST_REPOSITORY, force: true }));
      await ecr.send(new CreateRepositoryCommand({ repositoryName: TEST_REPOSITORY }));
      const { imageDetails } = await ecr.send(new DescribeImagesCommand({ repositoryName: TEST_REPOSITORY }));
      expect(imageDetails).toEqual([]);
    });
  });

  describe("CodeBuild", () => {
    let builds: CodeBuildClient;
    const start = async (imageTag?: string) => {
      const { build } = await builds.send(
        new StartBuildCommand({
          projectName: "image",
          ...(imageTag && { environmentVariablesOverride: [{ name: "IMAGE_TAG", value: imageTag }] }),
        }),
      );
      return build!.id!;
    };
    const look = async (id: string) =>
      (await builds.send(new BatchGetBuildsCommand({ ids: [id] }))).builds![0]!;
    const ended = async (id: string) => {
      await expect.poll(async () => (await look(id)).buildComplete).toBe(true);
      return look(id);
    };

    beforeEach(async () => {
      builds = new CodeBuildClient(CLIENT);
      await prepareImages(session.emulator);
      await stacks.deploy("project", PROJECT);
    });

    it("takes a while, writes a log, and pushes an image under the tag that was asked for", async () => {
      const id = await start("new");
      expect((await look(id)).buildStatus).toBe("IN_PROGRESS");
      const { buildStatus, phases, logs } = await ended(id);
      expect(buildStatus).toBe("SUCCEEDED");
      expect(phases!.map((phase) => phase.phaseType)).toContain("BUILD");
      const { events } = await new CloudWatchLogsClient(CLIENT).send(
        new GetLogEventsCommand({ logGroupName: logs!.groupName!, logStreamName: logs!.streamName! }),
      );
      expect(events!.map((event) => event.message).join("\n")).toContain(`pushed ${REPOSITORY_URI}:new`);
      expect(await labelsOf(new ECRClient(CLIENT), "new")).toEqual({
        labels: { [LABEL]: "true" },
        architecture: "amd64",
      });
    });

    it.each([
      ["missing-label", { labels: {}, architecture: "amd64" }],
      ["wrong-architecture", { labels: { [LABEL]: "true" }, architecture: "arm64" }],
    ] as const)("pushes an image with a fault: %s", async (outcome, image) => {
      await session.emulator.inject({ kind: "build", outcome });
      await ended(await start("new"));
      expect(await labelsOf(new ECRClient(CLIENT), "new")).toEqual(image);
    });

    it("pushes an OCI image when told", async () => {
      await session.emulator.inject({ kind: "build", outcome: "oci-manifest" });
      await ended(await start("new"));
      const found = await imageOf(new ECRClient(CLIENT), "new");
      expect(found.imageManifestMediaType).toBe("application/vnd.oci.image.manifest.v1+json");
    });

    it("fails with the phase and its reason", async () => {
      await session.emulator.inject({ kind: "build", outcome: "failed", reason: "npm error code EUSAGE" });
      const { buildStatus, phases } = await ended(await start("new"));
      expect(buildStatus).toBe("FAILED");
      const failed = phases!.find((phase) => phase.phaseStatus === "FAILED")!;
      expect(failed.phaseType).toBe("BUILD");
      expect(failed.contexts![0]!.message).toContain("EUSAGE");
    });

    it("fails without a tag, and stops when told", async () => {
      expect((await ended(await start())).buildStatus).toBe("FAILED");
      const id = await start("never");
      await builds.send(new StopBuildCommand({ id }));
      expect((await ended(id)).buildStatus).toBe("STOPPED");
      expect((await session.emulator.state()).repositories[TEST_REPOSITORY]).toEqual([]);
    });
  });

  describe("Bedrock", () => {
    const bedrock = () => new BedrockClient(CLIENT);
    const access = (modelId: string) =>
      bedrock().send(new GetFoundationModelAvailabilityCommand({ modelId }));

    it("knows models, and profiles with their regions", async () => {
      const { modelSummaries } = await bedrock().send(new ListFoundationModelsCommand({}));
      expect(modelSummaries!.length).toBeGreaterThan(10);
      const { modelDetails } = await bedrock().send(
        new GetFoundationModelCommand({ modelIdentifier: "anthropic.claude-haiku-4-5-20251001-v1:0" }),
      );
      expect(modelDetails!.inferenceTypesSupported).toEqual(["INFERENCE_PROFILE"]);
      const { models } = await bedrock().send(
        new GetInferenceProfileCommand({ inferenceProfileIdentifier: "us.amazon.nova-lite-v1:0" }),
      );
      expect(models!.map((model) => model.modelArn!.split(":")[3])).toEqual([
        "us-east-1",
        "us-east-2",
        "us-west-2",
      ]);
    });

    it.each([
      ["none.such-model", "ResourceNotFoundException"],
      ["us.amazon.nova-lite-v1:0", "ValidationException"],
    ])("fails to find the model %s", async (modelIdentifier, name) => {
      await expect(bedrock().send(new GetFoundationModelCommand({ modelIdentifier }))).rejects.toMatchObject({
        name,
      });
    });

    it.each([
      [undefined, { authorizationStatus: "AUTHORIZED", agreementAvailability: { status: "AVAILABLE" } }],
      ["no-agreement", { agreementAvailability: { status: "NOT_AVAILABLE" } }],
      ["not-authorized", { authorizationStatus: "NOT_AUTHORIZED" }],
      ["not-in-region", { regionAvailability: "NOT_AVAILABLE" }],
    ] as const)("says who may use a model: %s", async (status, answer) => {
      if (status) await session.emulator.inject({ kind: "model", status });
      expect(await access("amazon.nova-lite-v1:0")).toMatchObject(answer);
    });
  });

  describe("AgentCore", () => {
    it("makes a runtime with its endpoint, finds it, and answers with the agent's events", async () => {
      await prepareImages(session.emulator, "a");
      await stacks.begin("agent", RUNTIME);
      await expect.poll(async () => (await session.emulator.state()).runtimes.voice_agent).toBe("CREATING");
      expect(await stacks.settled("agent")).toBe("CREATE_COMPLETE");
      const control = new BedrockAgentCoreControlClient(CLIENT);
      const { agentRuntimes } = await control.send(new ListAgentRuntimesCommand({}));
      const { agentRuntimeId, agentRuntimeArn } = agentRuntimes![0]!;
      const runtime = await control.send(new GetAgentRuntimeCommand({ agentRuntimeId }));
      expect(runtime).toMatchObject({
        status: "READY",
        environmentVariables: { SPEECH_ENDPOINT_NAME: "speech" },
      });
      const endpoint = await control.send(
        new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName: "live" }),
      );
      expect(endpoint).toMatchObject({ status: "READY", liveVersion: "1" });
      const { response, contentType } = await new BedrockAgentCoreClient(CLIENT).send(
        new InvokeAgentRuntimeCommand({
          agentRuntimeArn,
          qualifier: "live",
          payload: Buffer.from('{"prompt":"Hi"}'),
        }),
      );
      expect(contentType).toBe("text/event-stream");
      const events = (await response!.transformToString())
        .split("\n\n")
        .filter((event) => event !== "")
        .map((event) => readAgentEvent(event.replace(/^data: /, ""))!.type);
      expect(events).toEqual(
        expect.arrayContaining(["agent_start", "text_delta", "audio_chunk", "agent_end"]),
      );
      expect(await stacks.delete("agent")).toBe("gone");
      expect((await session.emulator.state()).runtimes).toEqual({});
    });

    it("fails a runtime with its reason and rolls back", async () => {
      await session.emulator.inject({ kind: "runtime", reason: "the image is not arm64" });
      expect(await stacks.deploy("agent", RUNTIME)).toBe("ROLLBACK_COMPLETE");
      expect(await stacks.failures("agent")).toEqual([expect.stringContaining("not arm64")]);
      expect((await session.emulator.state()).runtimes).toEqual({});
    });
  });
});

async function imageOf(ecr: ECRClient, imageTag: string) {
  const { images } = await ecr.send(
    new BatchGetImageCommand({ repositoryName: TEST_REPOSITORY, imageIds: [{ imageTag }] }),
  );
  return images![0]!;
}

/** Read as a deployment reads it: manifest, then the config by its URL. */
async function labelsOf(ecr: ECRClient, imageTag: string) {
  const { imageManifest } = await imageOf(ecr, imageTag);
  const { downloadUrl } = await ecr.send(
    new GetDownloadUrlForLayerCommand({
      repositoryName: TEST_REPOSITORY,
      layerDigest: JSON.parse(imageManifest!).config.digest,
    }),
  );
  const image = (await (await fetch(downloadUrl!)).json()) as {
    architecture: string;
    config: { Labels: Record<string, string> };
  };
  return { labels: image.config.Labels, architecture: image.architecture };
}

const PROJECT: Resources = {
  Project: {
    Type: "AWS::CodeBuild::Project",
    Properties: {
      Name: "image",
      ServiceRole: `arn:aws:iam::${EMULATED_ACCOUNT}:role/build`,
      Artifacts: { Type: "NO_ARTIFACTS" },
      Source: { Type: "NO_SOURCE", BuildSpec: "version: 0.2" },
      Environment: {
        Type: "LINUX_CONTAINER",
        ComputeType: "BUILD_GENERAL1_SMALL",
        Image: "aws/codebuild/standard:7.0",
        EnvironmentVariables: [{ Name: "REPOSITORY_URI", Value: REPOSITORY_URI }],
      },
    },
  },
};

const RUNTIME: Resources = {
  Runtime: {
    Type: "AWS::BedrockAgentCore::Runtime",
    Properties: {
      AgentRuntimeName: "voice_agent",
      RoleArn: `arn:aws:iam::${EMULATED_ACCOUNT}:role/agent`,
      AgentRuntimeArtifact: { ContainerConfiguration: { ContainerUri: `${REPOSITORY_URI}:a` } },
      NetworkConfiguration: { NetworkMode: "PUBLIC" },
      EnvironmentVariables: { SPEECH_ENDPOINT_NAME: "speech" },
    },
  },
  Live: {
    Type: "AWS::BedrockAgentCore::RuntimeEndpoint",
    Properties: { AgentRuntimeId: { "Fn::GetAtt": ["Runtime", "AgentRuntimeId"] }, Name: "live" },
  },
};
