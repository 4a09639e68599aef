/** Builds and pushes with the Docker engine of this machine, if one answers. */

import { fileURLToPath } from "node:url";
import { ECRClient, GetAuthorizationTokenCommand } from "@aws-sdk/client-ecr";
import { execa } from "execa";
import { SpeechError } from "../../errors.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import type { DeployObserver } from "../progress.ts";
import { type ImageDefinition, type ImageVariant, platformOf } from "./image-definition.ts";
import { REPOSITORY_ROOT } from "./source-set.ts";

/** An engine that is there answers within a tenth of this. */
const ENGINE_LIMIT_MS = 5_000;
/** Lines of a failed build that are told; the rest went to the observer. */
const TOLD_LINES = 5;

export interface DockerBuild {
  readonly image: ImageDefinition;
  readonly variant: ImageVariant;
  readonly repositoryUri: string;
  readonly tag: string;
}

/** Both the engine and buildx. */
export async function dockerAnswers(signal: AbortSignal): Promise<boolean> {
  const answers = async (...words: string[]) => {
    const { failed } = await execa("docker", words, {
      reject: false,
      timeout: ENGINE_LIMIT_MS,
      cancelSignal: signal,
    });
    return !failed;
  };
  return (
    (await answers("version", "--format", "{{.Server.Version}}")) && (await answers("buildx", "version"))
  );
}

/**
 * Without provenance and with Docker's media types: SageMaker refuses OCI manifests, and provenance makes an index
 * of one image.
 */
export function buildxWords({ image, variant, repositoryUri, tag }: DockerBuild): string[] {
  return [
    ...["buildx", "build", "--platform", platformOf(image), "--progress", "plain"],
    ...["--provenance=false", "--output", "type=registry,oci-mediatypes=false"],
    ...(image.name === "tts" ? ["--build-arg", `VARIANT=${variant}`] : []),
    ...["--file", image.dockerfile, "--tag", `${repositoryUri}:${tag}`, "."],
  ];
}

/**
 * @param signal ends the build.
 * @throws {SpeechError} DEPLOYMENT_FAILED with the build's last lines.
 */
export async function buildWithDocker(
  build: DockerBuild,
  place: AwsPlace,
  observe: DeployObserver,
  signal: AbortSignal,
): Promise<void> {
  await logIn(build.repositoryUri, place, signal);
  const building = execa("docker", buildxWords(build), {
    cwd: fileURLToPath(REPOSITORY_ROOT),
    all: true,
    buffer: false,
    reject: false,
    cancelSignal: signal,
  });
  const last: string[] = [];
  for await (const line of building.iterable({ from: "all" })) {
    observe({ kind: "log", source: "docker", line });
    last.push(line);
    if (last.length > TOLD_LINES) last.shift();
  }
  const { failed, exitCode } = await building;
  signal.throwIfAborted();
  if (failed) throw buildFailure(`docker buildx build ended with ${exitCode ?? "no exit code"}`, last);
}

export function buildFailure(what: string, lastLines: readonly string[]): SpeechError {
  const tail = lastLines.map((line) => line.trim()).filter((line) => line !== "");
  return new SpeechError(
    "DEPLOYMENT_FAILED",
    `the image was not built: ${what}${tail.length > 0 ? `: ${tail.join(" | ")}` : ""}; mend it and run the same command again`,
    { details: { lines: tail } },
  );
}

/** The password goes in by stdin: arguments can be read by every user of the machine. */
async function logIn(repositoryUri: string, place: AwsPlace, signal: AbortSignal): Promise<void> {
  const client = new ECRClient(clientOptions(place));
  const { authorizationData } = await asking("ecr:GetAuthorizationToken", place.region, signal, () =>
    client.send(new GetAuthorizationTokenCommand({}), { abortSignal: signal }),
  );
  const token = Buffer.from(authorizationData?.[0]?.authorizationToken ?? "", "base64").toString();
  const [user = "", password = ""] = token.split(/:(.*)/s);
  const registry = repositoryUri.split("/")[0]!;
  const { failed } = await execa("docker", ["login", "--username", user, "--password-stdin", registry], {
    input: password,
    reject: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  if (failed) {
    throw new SpeechError(
      "DEPLOYMENT_FAILED",
      `docker could not log in at ${registry}; see that the engine runs, or give --build remote`,
    );
  }
}
