/** Who builds the image: Docker on this machine, or CodeBuild. */
import { CodeBuildClient, ListProjectsCommand } from "@aws-sdk/client-codebuild";
import { execa } from "execa";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, type Finding, failed, ok, warning } from "./finding.ts";

/** `auto`: Docker when an engine answers, else CodeBuild. `none`: the image is somebody else's (--image-uri). */
export type BuildChoice = "auto" | "local" | "remote" | "none";

/** An engine on this machine answers at once, or hangs. */
const ENGINE_LIMIT_MS = 4_000;

export function imageCheck(place: AwsPlace, build: BuildChoice, platform: string): Check {
  return {
    name: "image",
    subject: "CodeBuild",
    needsAws: build === "remote",
    run: async (signal) => {
      if (build === "none") return ok("image", "none is built");
      if (build === "remote") return await codeBuild(place, signal, "CodeBuild builds");
      const docker = await dockerFinding(platform, signal);
      if (build === "local" || docker.state !== "failed") return docker;
      return await codeBuild(place, signal, "no Docker engine answers here: CodeBuild builds");
    },
  };
}

async function dockerFinding(platform: string, signal: AbortSignal): Promise<Finding> {
  const version = await docker(["version", "--format", "{{.Server.Version}}"], signal);
  if (version === undefined) {
    return failed(
      "image",
      "no Docker engine answers on this machine",
      "start Docker, or give --build remote",
    );
  }
  const builder = await docker(["buildx", "inspect"], signal);
  if (builder === undefined) {
    return failed("image", "docker has no buildx", "install docker-buildx, or give --build remote");
  }
  return builder.includes(platform)
    ? ok("image", `Docker ${version} builds`)
    : warning(
        "image",
        `Docker's builder does not list ${platform}`,
        "docker run --privileged --rm tonistiigi/binfmt --install all, or give --build remote",
      );
}

/** @returns undefined when it fails, is not there, or is silent. */
async function docker(args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const result = await execa("docker", args, {
    reject: false,
    timeout: ENGINE_LIMIT_MS,
    cancelSignal: signal,
    stdin: "ignore",
  });
  signal.throwIfAborted();
  return result.failed ? undefined : result.stdout.trim();
}

async function codeBuild(place: AwsPlace, signal: AbortSignal, message: string): Promise<Finding> {
  const client = new CodeBuildClient(checkOptions(place));
  await asking("codebuild:ListProjects", place.region, signal, () =>
    client.send(new ListProjectsCommand({}), { abortSignal: signal }),
  );
  return ok("image", message);
}
