/** The emulator's CloudFormation takes its time, replaces, rolls back, keeps and adopts as AWS's does. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, CreateLogGroupCommand } from "@aws-sdk/client-cloudwatch-logs";
import { CreateRepositoryCommand, ECRClient } from "@aws-sdk/client-ecr";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DescribeEndpointCommand, SageMakerClient } from "@aws-sdk/client-sagemaker";
import { beforeEach, describe, expect, it } from "vitest";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, prepareImages, python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";
import { type SpeechTemplateChoice, speechTemplate } from "./speech-template.ts";
import { type Resources, StackClient } from "./stack-client.ts";

const STACK = "speech-stack";
/** Seconds, long enough to be seen under way also on a busy machine. */
const SEEN = { endpoint_create: 1, endpoint_update: 1 };
const template = (choice?: SpeechTemplateChoice) => speechTemplate(EMULATED_ACCOUNT, choice);

describe.skipIf(python === undefined)("the emulator's CloudFormation", () => {
  const session = useEmulator();
  let stacks: StackClient;
  let endpointNow: () => Promise<{ status?: string | undefined; config?: string | undefined }>;

  beforeEach(async () => {
    stacks = new StackClient(new CloudFormationClient(CLIENT));
    const sagemaker = new SageMakerClient(CLIENT);
    endpointNow = async () => {
      const found = await sagemaker.send(new DescribeEndpointCommand({ EndpointName: "speech" }));
      return { status: found.EndpointStatus, config: found.EndpointConfigName };
    };
    await prepareImages(session.emulator, "a", "b");
  });

  it("answers while an endpoint is being created", async () => {
    await session.emulator.delay(SEEN);
    await stacks.begin(STACK, template());
    await expect.poll(async () => (await session.emulator.state()).endpoints.speech).toBe("Creating");
    expect(await stacks.status(STACK)).toBe("CREATE_IN_PROGRESS");
    expect(await stacks.settled(STACK)).toBe("CREATE_COMPLETE");
    expect(await endpointNow()).toEqual({ status: "InService", config: "config-a" });
  });

  it("replaces what is named anew: makes it, moves the endpoint, deletes the old", async () => {
    await stacks.deploy(STACK, template());
    expect(await stacks.deploy(STACK, template({ version: "b" }))).toBe("UPDATE_COMPLETE");
    expect(await endpointNow()).toEqual({ status: "InService", config: "config-b" });
    const { models, endpointConfigs } = await session.emulator.state();
    expect({ models, endpointConfigs }).toEqual({ models: ["model-b"], endpointConfigs: ["config-b"] });
  });

  it("has nothing to do for an unchanged template", async () => {
    await stacks.deploy(STACK, template());
    await expect(stacks.deploy(STACK, template())).rejects.toThrow(/didn't contain changes|No updates/);
  });

  it("fails a creation and deletes what was made, the failed endpoint too", async () => {
    await session.emulator.inject({
      kind: "endpoint",
      reason: "The primary container did not pass the ping health check.",
    });
    expect(await stacks.deploy(STACK, template())).toBe("ROLLBACK_COMPLETE");
    expect(await stacks.failures(STACK)).toEqual([expect.stringContaining("ping health check")]);
    expect(await stacks.events(STACK)).toEqual(
      expect.arrayContaining(["Endpoint CREATE_FAILED", "Endpoint DELETE_COMPLETE", "Model DELETE_COMPLETE"]),
    );
    const { endpoints, models } = await session.emulator.state();
    expect({ endpoints, models }).toEqual({ endpoints: {}, models: [] });
  });

  it.each([
    ["InService", "UPDATE_ROLLBACK_COMPLETE"],
    ["Failed", "UPDATE_ROLLBACK_FAILED"],
  ] as const)("fails an update that leaves the endpoint %s: %s", async (left, status) => {
    await stacks.deploy(STACK, template());
    await session.emulator.inject({
      kind: "endpoint",
      during: "update",
      left,
      reason: "no capacity",
      times: 1,
    });
    expect(await stacks.deploy(STACK, template({ version: "b" }))).toBe(status);
    expect(await endpointNow()).toEqual({ status: left, config: "config-a" });
    expect(await stacks.delete(STACK)).toBe("gone");
    expect((await session.emulator.state()).endpoints).toEqual({});
  });

  it("fails a change of the instance type while the variant is scaled", async () => {
    await stacks.deploy(STACK, template({ isScaled: true }));
    const changed = template({ version: "b", instanceType: "ml.g5.2xlarge", isScaled: true });
    expect(await stacks.deploy(STACK, changed)).toBe("UPDATE_ROLLBACK_COMPLETE");
    expect(await stacks.failures(STACK)).toEqual([expect.stringContaining("must be deregistered")]);
  });

  it("fails a deletion, keeps what is left, and deletes it when asked again", async () => {
    await stacks.deploy(STACK, template());
    const mended = await session.emulator.inject({ kind: "delete", logicalId: "Model", reason: "in use" });
    expect(await stacks.delete(STACK)).toBe("DELETE_FAILED");
    expect((await session.emulator.state()).models).toEqual(["model-a"]);
    await mended();
    expect(await stacks.delete(STACK)).toBe("gone");
    expect((await session.emulator.state()).models).toEqual([]);
  });

  it("cuts a creation short when the stack is deleted meanwhile, but not an endpoint's", async () => {
    await session.emulator.delay(SEEN);
    await stacks.begin(STACK, template());
    await expect.poll(async () => (await session.emulator.state()).endpoints.speech).toBe("Creating");
    expect(await stacks.delete(STACK)).toBe("DELETE_FAILED");
    expect(await stacks.failures(STACK)).toEqual([
      "Resource creation cancelled",
      expect.stringContaining("Cannot update in-progress endpoint"),
    ]);
    await expect.poll(async () => (await session.emulator.state()).endpoints.speech).toBe("InService");
    expect(await stacks.delete(STACK)).toBe("gone");
    const { endpoints, models } = await session.emulator.state();
    expect({ endpoints, models }).toEqual({ endpoints: {}, models: [] });
  });

  it("fails to delete a stack that is being updated", async () => {
    await stacks.deploy(STACK, template());
    await session.emulator.delay(SEEN);
    await stacks.begin(STACK, template({ version: "b" }));
    await expect(stacks.beginDelete(STACK)).rejects.toThrow(
      "cannot be deleted while in status UPDATE_IN_PROGRESS",
    );
    expect(await stacks.settled(STACK)).toBe("UPDATE_COMPLETE");
  });

  it("goes back to an account as it was", async () => {
    await stacks.deploy(STACK, template({ isScaled: true }));
    const back = await session.emulator.snapshot();
    const { calls: _, ...before } = await session.emulator.state();
    for (const _time of ["once", "twice"]) {
      await session.emulator.inject({ kind: "quota", quota: "ml.g5.xlarge for endpoint usage", value: 0 });
      await stacks.delete(STACK);
      await back();
      expect(await session.emulator.state()).toEqual({ ...before, calls: [] });
    }
    expect(await stacks.deploy(STACK, template({ version: "b", isScaled: true }))).toBe("UPDATE_COMPLETE");
  });

  const kept: readonly [string, Resources, () => Promise<unknown>][] = [
    [
      "bucket",
      { Kept: { Type: "AWS::S3::Bucket", DeletionPolicy: "Retain", Properties: { BucketName: "kept" } } },
      () =>
        new S3Client({ ...CLIENT, forcePathStyle: true }).send(new CreateBucketCommand({ Bucket: "kept" })),
    ],
    [
      "repository",
      {
        Kept: {
          Type: "AWS::ECR::Repository",
          DeletionPolicy: "Retain",
          Properties: { RepositoryName: "kept" },
        },
      },
      () => new ECRClient(CLIENT).send(new CreateRepositoryCommand({ repositoryName: "kept" })),
    ],
    [
      "log group",
      {
        Kept: { Type: "AWS::Logs::LogGroup", DeletionPolicy: "Retain", Properties: { LogGroupName: "kept" } },
      },
      () => new CloudWatchLogsClient(CLIENT).send(new CreateLogGroupCommand({ logGroupName: "kept" })),
    ],
  ];

  it.each(kept)(
    "keeps a retained %s and adopts it into the next stack, only when told",
    async (_kind, resources) => {
      await stacks.deploy(STACK, resources);
      expect(await stacks.delete(STACK)).toBe("gone");
      expect(await stacks.deploy("other", resources)).toBe("ROLLBACK_COMPLETE");
      await stacks.delete("other");
      expect(await stacks.deploy(STACK, resources, true)).toBe("CREATE_COMPLETE");
      expect(await stacks.events(STACK)).toContain("Kept IMPORT_COMPLETE");
      await expect(stacks.deploy("other", resources, true)).rejects.toThrow("already exists in stack");
    },
  );

  it.each(kept)("adopts a %s that was made by hand", async (_kind, resources, make) => {
    await make();
    expect(await stacks.deploy(STACK, resources, true)).toBe("CREATE_COMPLETE");
  });

  it("fails to adopt what the template does not retain", async () => {
    const { Kept } = kept[0]![1];
    await kept[0]![2]();
    await expect(
      stacks.deploy(STACK, { Kept: { ...Kept!, DeletionPolicy: "Delete" } }, true),
    ).rejects.toThrow("must have the DeletionPolicy attribute set to 'Retain'");
  });

  it.each([
    ["bucket", "AWS::S3::Bucket", { BucketName: "full" }, "You must delete all versions"],
    ["repository", "AWS::ECR::Repository", { RepositoryName: "full" }, "still contains images"],
  ])("fails to delete a %s that is not empty", async (kind, Type, Properties, reason) => {
    const versioned = kind === "bucket" ? { VersioningConfiguration: { Status: "Enabled" } } : {};
    await stacks.deploy(STACK, { Full: { Type, Properties: { ...Properties, ...versioned } } });
    if (kind === "bucket") {
      const s3 = new S3Client({ ...CLIENT, forcePathStyle: true });
      await s3.send(new PutObjectCommand({ Bucket: "full", Key: "a", Body: "1" }));
    } else {
      await pushImage(session.emulator.url, "full", "a");
    }
    expect(await stacks.delete(STACK)).toBe("DELETE_FAILED");
    expect(await stacks.failures(STACK)).toEqual([expect.stringContaining(reason)]);
  });
});
