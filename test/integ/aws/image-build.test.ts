/** Images are built by the foundation's CodeBuild project in the emulator, read back and checked; a refused one leaves a state to go on from. */
import { beforeEach, describe, expect, it } from "vitest";
import { agentNames, buildBucketName, speechNames } from "../../../lib/config/deployment-names.ts";
import { ensureImage, type OwnImage } from "../../../lib/deploy/images/image.ts";
import type { DeployProgress } from "../../../lib/deploy/progress.ts";
import { agentApp } from "../../../stacks/agent-app.ts";
import { speechApp } from "../../../stacks/speech-app.ts";
import {
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { CdkSession } from "./cdk-session.ts";
import { python, useEmulator } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";

const SPEECH = speechNames("kokoro-82m-cpu", "main");
const AGENT = agentNames("main");
const PLACE = { stage: "main", account, region, imageTag: "none" };

function ownImage(image: "tts" | "agent"): OwnImage {
  const { repository, buildProject } = image === "tts" ? SPEECH : AGENT;
  return {
    image,
    variant: "cpu",
    repository,
    repositoryUri: `${account}.dkr.ecr.${region}.amazonaws.com/${repository}`,
    buildProject,
    buildBucket: buildBucketName(repository, account, region),
    build: "remote",
  };
}

describe.skipIf(python === undefined)("an image in the emulator", () => {
  const session = useEmulator();
  const events: DeployProgress[] = [];
  const ensure = (image: "tts" | "agent") =>
    ensureImage(
      ownImage(image),
      { region, endpointUrl: session.emulator.url },
      (event) => events.push(event),
      AbortSignal.timeout(30_000),
    );

  let begin: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    events.length = 0;
    if (begin !== undefined) return begin();
    const cdk = new CdkSession();
    await bootstrapEmulator(session.emulator);
    await cdk.deploy(speechApp({ ...PLACE, modelId: SPEECH.modelId }), SPEECH.stacks.foundation);
    await cdk.deploy(
      agentApp({ ...PLACE, bedrockModelId: "amazon.nova-lite-v1:0", speechEndpointName: SPEECH.endpoint }),
      AGENT.stacks.foundation,
    );
    begin = await session.emulator.snapshot();
  });

  it.each(["tts", "agent"] as const)("%s is built from its source once, its log passed on", async (image) => {
    const made = await ensure(image);
    expect(made).toMatchObject({ built: true, digest: expect.stringMatching(/^sha256:/) });
    const lines = events.flatMap((event) => (event.kind === "log" ? [event.line] : []));
    expect(lines.join("\n")).toContain(`--file container/${image}/Dockerfile`);
    expect(await ensure(image)).toEqual({ ...made, built: false });
  });

  it.each([
    ["missing-label", "is missing: add LABEL"],
    ["oci-manifest", "which SageMaker refuses"],
    ["wrong-architecture", "it is built for linux/arm64"],
    ["failed", "CodeBuild says FAILED in BUILD"],
  ] as const)("fails when the build is %s, and is built right the next time", async (outcome, words) => {
    await session.emulator.inject({ kind: "build", outcome, times: 1 });
    await expect(ensure("tts")).rejects.toThrow(words);
    expect((await session.emulator.state()).repositories[SPEECH.repository]).toEqual([]);
    expect(await ensure("tts")).toMatchObject({ built: true });
  });

  it("fails with the command that removes a wrong image which was there before", async () => {
    const { tag } = await ensure("tts");
    await begin!();
    await pushImage(session.emulator.url, SPEECH.repository, tag);
    await expect(ensure("tts")).rejects.toThrow(`--image-ids imageTag=${tag}`);
    expect((await session.emulator.state()).repositories[SPEECH.repository]).toEqual([tag]);
  });
});
