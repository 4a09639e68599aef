/** Images are built, pushed, read back and refused against the emulator's CodeBuild and registry, as `speech-infra image` does it. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { BatchGetBuildsCommand, CodeBuildClient, ListBuildsCommand } from "@aws-sdk/client-codebuild";
import { BatchDeleteImageCommand, ECRClient, ListImagesCommand } from "@aws-sdk/client-ecr";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { buildBucketName, speechNames } from "../../../lib/config/deployment-names.ts";
import { processEnvironment } from "../../../lib/config/environment.ts";
import { imageTag } from "../../../lib/deploy/images/content-hash.ts";
import { buildWithDocker } from "../../../lib/deploy/images/docker.ts";
import { checkForeignImage, ensureImage, type OwnImage } from "../../../lib/deploy/images/image.ts";
import { IMAGES } from "../../../lib/deploy/images/image-definition.ts";
import type { DeployProgress } from "../../../lib/deploy/progress.ts";
import { speechApp } from "../../../stacks/speech-app.ts";
import {
  type AwsEmulator,
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { killCommands, runCli } from "../../helpers/run-cli.ts";
import { CdkSession } from "./cdk-session.ts";
import { CLIENT, python } from "./emulator-session.ts";
import { pushImage } from "./pushed-image.ts";

const LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming";
const MODEL = "kokoro-82m-cpu";
const NAMES = speechNames(MODEL, "main");
const REPOSITORY_URI = `${account}.dkr.ecr.${region}.amazonaws.com/${NAMES.repository}`;
const OWN: OwnImage = {
  image: "tts",
  variant: "cpu",
  repository: NAMES.repository,
  repositoryUri: REPOSITORY_URI,
  buildProject: NAMES.buildProject,
  buildBucket: buildBucketName(NAMES.repository, account, region),
  build: "remote",
};

describe.skipIf(python === undefined)("an image", () => {
  let emulator: AwsEmulator;
  let tag: string;
  const place = () => ({ region, endpointUrl: emulator.url });
  const quiet = () => {};
  const never = new AbortController().signal;
  const ensure = (observe = quiet as (progress: DeployProgress) => void, signal = never) =>
    ensureImage(OWN, place(), observe, signal);
  const ecr = () => new ECRClient(CLIENT);
  const tags = async () => {
    const { imageIds } = await ecr().send(new ListImagesCommand({ repositoryName: NAMES.repository }));
    return imageIds!.map(({ imageTag: name }) => name!);
  };
  const cli = (...args: string[]) => runCli("speech-infra", ["image", MODEL, ...args], { env: emulator.env });

  beforeAll(async () => {
    emulator = await startAwsEmulator(python!);
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
    tag = await imageTag("tts", "cpu");
  });
  afterEach(killCommands);
  afterAll(async () => {
    await emulator?.close();
    vi.unstubAllEnvs();
  });

  it("fails without the foundation stack, and names the command that makes it", async () => {
    const { exitCode, stderr } = await cli();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`run speech-infra deploy ${MODEL}`);
  });

  describe("with the foundation stack", () => {
    beforeAll(async () => {
      await bootstrapEmulator(emulator);
      const app = speechApp({ stage: "main", account, region, modelId: MODEL, imageTag: tag });
      await new CdkSession().deploy(app, NAMES.stacks.foundation);
    });
    afterEach(async () => {
      const found = (await tags()).map((imageTag) => ({ imageTag }));
      if (found.length === 0) return;
      await ecr().send(new BatchDeleteImageCommand({ repositoryName: NAMES.repository, imageIds: found }));
    });

    it("is built by CodeBuild with its log shown, and not built again", async () => {
      const first = await cli("--build", "remote", "--json", "--verbose");
      expect(first.exitCode).toBe(0);
      expect(JSON.parse(first.stdout)).toMatchObject({
        built: true,
        tag,
        imageUri: `${REPOSITORY_URI}:${tag}`,
      });
      expect(first.stderr).toMatch(/\[CodeBuild\] .*Phase complete: BUILD State: SUCCEEDED/);
      const second = await cli("--build", "remote", "--json");
      expect(second.exitCode).toBe(0);
      expect(JSON.parse(second.stdout)).toEqual({ ...JSON.parse(first.stdout), built: false });
    });

    it.each([
      ["missing-label", new RegExp(`its label ${LABEL} is missing: add LABEL ${LABEL}=true`)],
      ["oci-manifest", /which SageMaker refuses: build with .*oci-mediatypes=false/],
      ["wrong-architecture", /built for linux\/arm64, not linux\/amd64: build with --platform linux\/amd64/],
    ] as const)("fails with %s, and the next run builds it anew", async (outcome, words) => {
      await emulator.inject({ kind: "build", outcome, times: 1 });
      await expect(ensure()).rejects.toMatchObject({
        code: "CONFIGURATION",
        message: expect.stringMatching(words),
      });
      expect(await tags()).toEqual([]);
      expect(await ensure()).toMatchObject({ built: true, tag });
    });

    it("fails when a broken one is there, which may be in use: how to remove it is said", async () => {
      await pushImage(emulator.url, NAMES.repository, tag, { labels: {} });
      await expect(ensure()).rejects.toMatchObject({
        code: "CONFIGURATION",
        message: expect.stringMatching(/label .* is missing.*batch-delete-image .*imageTag=cpu-/),
      });
      expect(await tags()).toEqual([tag]);
    });

    it("fails with the phase and the reason of a build that failed", async () => {
      await emulator.inject({ kind: "build", outcome: "failed", reason: "npm error code EUSAGE", times: 1 });
      const { exitCode, stdout } = await cli("--build", "remote", "--json");
      expect(exitCode).toBe(1);
      const { error } = JSON.parse(stdout);
      expect(error.code).toBe("DEPLOYMENT_FAILED");
      expect(error.message).toMatch(/in BUILD, .*npm error code EUSAGE/);
    });

    it("is no longer built when its builder is cancelled", async () => {
      const client = new CodeBuildClient(CLIENT);
      const earlier = new Set((await client.send(new ListBuildsCommand({}))).ids);
      const ending = new AbortController();
      const building = ensure((progress) => {
        if (progress.kind === "waiting" && progress.what.includes("CodeBuild")) ending.abort();
      }, ending.signal);
      await expect(building).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
      const { ids } = await client.send(new ListBuildsCommand({}));
      const started = ids!.filter((id) => !earlier.has(id));
      const { builds } = await client.send(new BatchGetBuildsCommand({ ids: started }));
      expect(builds!.map(({ buildStatus }) => buildStatus)).toEqual(["STOPPED"]);
      expect(await tags()).toEqual([]);
    });

    it("fails where Docker is asked for and no engine answers", async () => {
      const env = { ...emulator.env, DOCKER_HOST: "unix:///nonexistent/docker.sock" };
      const { exitCode, stderr } = await runCli("speech-infra", ["image", MODEL, "--build", "docker"], {
        env,
      });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/no Docker engine .*--build remote/);
    });

    describe("of somebody else", () => {
      const foreign = (uri: string, image: "tts" | "agent" = "tts") =>
        checkForeignImage(uri, image, place(), never);

      it("is taken when it will do, and by command too", async () => {
        const made = await ensure();
        expect(await foreign(made.imageUri)).toEqual({ imageUri: made.imageUri, digest: made.digest });
        const byDigest = `${REPOSITORY_URI}@${made.digest}`;
        const { exitCode, stdout } = await cli("--image-uri", byDigest, "--json");
        expect(exitCode).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ imageUri: byDigest, digest: made.digest, checked: true });
      });

      it("fails with all that is wrong with it at once", async () => {
        await pushImage(emulator.url, NAMES.repository, "theirs", { architecture: "arm64", isOci: true });
        await expect(foreign(`${REPOSITORY_URI}:theirs`)).rejects.toMatchObject({
          code: "CONFIGURATION",
          message: expect.stringMatching(/SageMaker refuses.*not linux\/amd64.*is missing.*no ENTRYPOINT/),
        });
      });

      it("fails when it is not there", async () => {
        await expect(foreign(`${REPOSITORY_URI}:nothing`)).rejects.toMatchObject({ code: "NOT_FOUND" });
      });

      it("is taken unseen from where nobody can be asked", async () => {
        const uri = "ghcr.io/team/speech:1";
        expect(await foreign(uri)).toEqual({ imageUri: uri, digest: undefined });
      });
    });

    it("is built by Docker with the password on stdin, from this source, as SageMaker takes it", async () => {
      const folder = await mkdtemp(join(tmpdir(), "docker-"));
      const called = join(folder, "called");
      await writeFile(
        join(folder, "docker"),
        `#!/bin/sh\necho "$@" >> ${called}\n[ "$1" = login ] && { cat >> ${called}; echo >> ${called}; }\necho "#1 $1 done"\n`,
      );
      await chmod(join(folder, "docker"), 0o755);
      vi.stubEnv("PATH", `${folder}${delimiter}${processEnvironment().PATH}`);
      try {
        const lines: string[] = [];
        const build = { image: IMAGES.tts, variant: "cpu", repositoryUri: REPOSITORY_URI, tag } as const;
        await buildWithDocker(build, place(), (p) => p.kind === "log" && lines.push(p.line), never);
        const [login, password, buildx] = (await readFile(called, "utf8")).trim().split("\n");
        expect(login).toBe(`login --username AWS --password-stdin ${REPOSITORY_URI.split("/")[0]}`);
        expect(password).not.toBe("");
        expect(buildx).toContain("--platform linux/amd64");
        expect(buildx).toContain("--provenance=false --output type=registry,oci-mediatypes=false");
        expect(buildx).toContain(`--tag ${REPOSITORY_URI}:${tag} .`);
        expect(lines).toContain("#1 buildx done");
      } finally {
        vi.stubEnv("PATH", processEnvironment().PATH!.split(delimiter).slice(1).join(delimiter));
        await rm(folder, { recursive: true });
      }
    });
  });
});
