/** Who builds the image: Docker on this machine, or CodeBuild. */
import { CodeBuildClient, ListProjectsCommand } from "@aws-sdk/client-codebuild";
import { execa } from "execa";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { dockerAnswers } from "../images/docker.ts";
import type { BuildWay } from "../images/image.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, type Finding, failed, ok, warning } from "./finding.ts";

/** `none`: the image is somebody else's (--image-uri). */
export type BuildChoice = BuildWay | "none";

/** An engine that is there answers within a tenth of this. */
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
      if (build === "docker" || docker.state !== "failed") return docker;
      return await codeBuild(place, signal, "no Docker engine answers here: CodeBuild builds");
    },
  };
}

async function dockerFinding(platform: string, signal: AbortSignal): Promise<Finding> {
  if (!(await dockerAnswers(signal))) {
    return failed(
      "image",
      "no Docker engine with buildx answers on this machine",
      "start Docker, or give --build remote",
    );
  }
  const builder = await execa("docker", ["buildx", "inspect"], {
    reject: false,
    timeout: ENGINE_LIMIT_MS,
    cancelSignal: signal,
  });
  return builder.failed || builder.stdout.includes(platform)
    ? ok("image", "Docker builds")
    : warning(
        "image",
        `Docker's builder does not list ${platform}`,
        "docker run --privileged --rm tonistiigi/binfmt --install all, or give --build remote",
      );
}

async function codeBuild(place: AwsPlace, signal: AbortSignal, message: string): Promise<Finding> {
  const client = new CodeBuildClient(checkOptions(place));
  await asking("codebuild:ListProjects", place.region, signal, () =>
    client.send(new ListProjectsCommand({}), { abortSignal: signal }),
  );
  return ok("image", message);
}
