/** The emulator's S3, Bedrock and AgentCore answer as AWS's do, through the official clients. */
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
import { TEST_REPOSITORY } from "./speech-template.ts";
import { type Resources, StackClient } from "./stack-client.ts";

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
      await session.emulator.delay({ runtime: 1 });
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
