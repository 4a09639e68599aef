/** Speech comes down from whatever state its endpoint is in, in the emulator; nothing that costs money stays. */
import { CloudFormationClient, DeleteStackCommand } from "@aws-sdk/client-cloudformation";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { modelBucketName, speechNames } from "../../../lib/config/deployment-names.ts";
import { destroySpeech } from "../../../lib/deploy/speech/speech-destruction.ts";
import { speechApp } from "../../../stacks/speech-app.ts";
import {
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { CdkSession } from "./cdk-session.ts";
import { CLIENT, python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";
import { StackClient } from "./stack-client.ts";

const NAMES = speechNames("kokoro-82m", "main");
const NOTHING = { endpoints: {}, endpointConfigs: [], models: [], scalableTargets: [] };

describe.skipIf(python === undefined)("speech is destroyed", () => {
  const session = useEmulator();
  const cdk = new CdkSession();
  const app = (imageTag: string) =>
    speechApp({ modelId: "kokoro-82m", stage: "main", account, region, imageTag });
  const deployEndpoint = (imageTag: string) => cdk.deploy(app(imageTag), NAMES.stacks.endpoint);
  const destroy = () =>
    destroySpeech(
      { modelId: "kokoro-82m", stage: "main", options: {} },
      {
        place: { account, region, endpointUrl: session.emulator.url },
        observe: () => {},
        signal: AbortSignal.timeout(30_000),
      },
      false,
    );
  const endpointIs = async (status: string) =>
    expect.poll(async () => (await session.emulator.state()).endpoints[NAMES.endpoint]).toBe(status);

  let begin: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    if (begin !== undefined) return begin();
    await bootstrapEmulator(session.emulator);
    await cdk.deploy(app("a"), NAMES.stacks.foundation, NAMES.stacks.modelCache);
    for (const tag of ["a", "b"]) {
      await pushImage(session.emulator.url, NAMES.repository, tag, { labels: { tag } });
    }
    const Bucket = modelBucketName(NAMES, account, region);
    await new S3Client({ ...CLIENT, forcePathStyle: true }).send(
      new PutObjectCommand({ Bucket, Key: "model/manifest.json", Body: "{}" }),
    );
    begin = await session.emulator.snapshot();
  });

  const states: readonly [string, () => Promise<unknown>][] = [
    ["that was never deployed", async () => {}],
    ["InService", () => deployEndpoint("a")],
    [
      "Creating",
      async () => {
        await session.emulator.delay({ endpoint_create: 2 });
        deployEndpoint("a").catch(() => {});
        await endpointIs("Creating");
      },
    ],
    [
      "Updating",
      async () => {
        await deployEndpoint("a");
        await session.emulator.delay({ endpoint_update: 2 });
        deployEndpoint("b").catch(() => {});
        await endpointIs("Updating");
      },
    ],
    [
      "that failed and was rolled back",
      async () => {
        await session.emulator.inject({ kind: "endpoint", reason: "no ping", times: 1 });
        await expect(deployEndpoint("a")).rejects.toThrow("no ping");
      },
    ],
    [
      "left Failed by an update, its stack stuck",
      async () => {
        await deployEndpoint("a");
        await session.emulator.inject({
          kind: "endpoint",
          during: "update",
          left: "Failed",
          reason: "no ping",
        });
        await expect(deployEndpoint("b")).rejects.toThrow("no ping");
      },
    ],
    [
      "half deleted",
      async () => {
        await deployEndpoint("a");
        await session.emulator.inject({
          kind: "delete",
          resourceType: "AWS::SageMaker::Model",
          reason: "no",
          times: 1,
        });
        const client = new CloudFormationClient(CLIENT);
        await client.send(new DeleteStackCommand({ StackName: NAMES.stacks.endpoint }));
        expect(await new StackClient(client).settled(NAMES.stacks.endpoint)).toBe("DELETE_FAILED");
      },
    ],
  ];
  it.each(states)("with an endpoint %s", async (_state, prepare) => {
    await prepare();
    const { kept } = await destroy();
    expect(await session.emulator.state()).toMatchObject(NOTHING);
    expect(kept.map(({ kind }) => kind)).toContain("bucket");
  });
});
