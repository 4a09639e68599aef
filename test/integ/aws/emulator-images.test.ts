/** The emulator's ECR and CodeBuild answer as AWS's do, through the official clients. */
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
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, prepareImages, python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";
import { imageSource, sourceZip } from "./source-zip.ts";
import { TEST_REPOSITORY } from "./speech-template.ts";
import { type Resources, StackClient } from "./stack-client.ts";

const LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming";
const REPOSITORY_URI = `${EMULATED_ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/${TEST_REPOSITORY}`;

describe.skipIf(python === undefined)("the emulator's", () => {
  const session = useEmulator();
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
    let stacks: StackClient;
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
      stacks = new StackClient(new CloudFormationClient(CLIENT));
      await prepareImages(session.emulator);
      await stacks.deploy("project", projectOf({ Type: "NO_SOURCE", BuildSpec: BUILD_SPEC }));
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

    it.each([
      ["no source", undefined, "NoSuchKey"],
      ["no zip", "text", "not a valid zip file"],
      ["no Dockerfile", sourceZip({ "lib/errors.ts": "" }), "open container/tts/Dockerfile: no such file"],
      [
        "a copied folder missing",
        sourceZip({ "container/tts/Dockerfile": "FROM node:24\nCOPY lib voices ./\n", "lib/errors.ts": "" }),
        '"/voices": not found',
      ],
    ])("fails to build from %s", async (_what, source, reason) => {
      const s3 = new S3Client({ ...CLIENT, forcePathStyle: true });
      await s3.send(new CreateBucketCommand({ Bucket: "source" }));
      if (source) await s3.send(new PutObjectCommand({ Bucket: "source", Key: "a.zip", Body: source }));
      await stacks.deploy(
        "project",
        projectOf({ Type: "S3", Location: "source/a.zip", BuildSpec: BUILD_SPEC }),
      );
      const { buildStatus, phases } = await ended(await start("new"));
      expect(buildStatus).toBe("FAILED");
      expect(phases!.find((phase) => phase.contexts)!.contexts![0]!.message).toContain(reason);
    });

    it("takes label and architecture from what it builds", async () => {
      const s3 = new S3Client({ ...CLIENT, forcePathStyle: true });
      await s3.send(new CreateBucketCommand({ Bucket: "source" }));
      await s3.send(new PutObjectCommand({ Bucket: "source", Key: "a.zip", Body: imageSource("agent") }));
      const BuildSpec = "docker buildx build --platform linux/arm64 --file container/agent/Dockerfile .";
      await stacks.deploy("project", projectOf({ Type: "S3", Location: "source/a.zip", BuildSpec }));
      await ended(await start("new"));
      expect(await labelsOf(new ECRClient(CLIENT), "new")).toEqual({ labels: {}, architecture: "arm64" });
    });

    it("fails without a tag, and stops when told", async () => {
      expect((await ended(await start())).buildStatus).toBe("FAILED");
      const id = await start("never");
      await builds.send(new StopBuildCommand({ id }));
      expect((await ended(id)).buildStatus).toBe("STOPPED");
      expect((await session.emulator.state()).repositories[TEST_REPOSITORY]).toEqual([]);
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

const BUILD_SPEC = "docker buildx build --platform linux/amd64 --file container/tts/Dockerfile .";

const projectOf = (Source: Readonly<Record<string, string>>): Resources => ({
  Project: {
    Type: "AWS::CodeBuild::Project",
    Properties: {
      Name: "image",
      ServiceRole: `arn:aws:iam::${EMULATED_ACCOUNT}:role/build`,
      Artifacts: { Type: "NO_ARTIFACTS" },
      Source,
      Environment: {
        Type: "LINUX_CONTAINER",
        ComputeType: "BUILD_GENERAL1_SMALL",
        Image: "aws/codebuild/standard:7.0",
        EnvironmentVariables: [{ Name: "REPOSITORY_URI", Value: REPOSITORY_URI }],
      },
    },
  },
});
