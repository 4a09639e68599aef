/**
 * Builds in AWS CodeBuild, where no Docker engine is at hand: the source goes up as a zip, the project of the foundation
 * stack builds and pushes it, its log is passed on line by line.
 */

import { setTimeout as delay } from "node:timers/promises";
import { CloudWatchLogsClient, GetLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  StartBuildCommand,
  StopBuildCommand,
} from "@aws-sdk/client-codebuild";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { SpeechError } from "../../errors.ts";
import { type AwsPlace, clientOptions, pollIntervalMs, s3Client } from "../aws-clients.ts";
import { asking, isMissing } from "../aws-failure.ts";
import type { DeployObserver } from "../progress.ts";
import { buildFailure } from "./docker.ts";
import type { ImageDefinition, ImageVariant } from "./image-definition.ts";
import { sourceZip } from "./source-zip.ts";

export interface RemoteBuild {
  readonly image: ImageDefinition;
  readonly variant: ImageVariant;
  readonly tag: string;
  /** CodeBuild project and bucket of the foundation stack. */
  readonly project: string;
  readonly bucket: string;
}

/** Lines of a failed build that are told. */
const TOLD_LINES = 5;

/**
 * @param signal stops the build, at AWS too.
 * @throws {SpeechError} DEPLOYMENT_FAILED with the phase that failed and the log's last lines.
 */
export async function buildRemotely(
  build: RemoteBuild,
  place: AwsPlace,
  observe: DeployObserver,
  signal: AbortSignal,
): Promise<void> {
  const key = `${build.tag}.zip`;
  const body = await sourceZip(build.image);
  observe({
    kind: "waiting",
    what: `for the upload of the image's source (${Math.ceil(body.length / 1024)} KiB)`,
  });
  await asking("s3:PutObject", place.region, signal, () =>
    s3Client(place).send(new PutObjectCommand({ Bucket: build.bucket, Key: key, Body: body }), {
      abortSignal: signal,
    }),
  );
  const client = new CodeBuildClient(clientOptions(place));
  const started = await asking("codebuild:StartBuild", place.region, signal, () =>
    client.send(
      new StartBuildCommand({
        projectName: build.project,
        sourceLocationOverride: `${build.bucket}/${key}`,
        environmentVariablesOverride: [
          { name: "IMAGE_TAG", value: build.tag },
          { name: "VARIANT", value: build.variant },
        ],
      }),
      { abortSignal: signal },
    ),
  );
  const id = started.build!.id!;
  try {
    await followBuild(id, client, place, observe, signal);
  } catch (error) {
    // What nobody waits for any more would be billed to its end.
    if (signal.aborted) await client.send(new StopBuildCommand({ id })).catch(() => {});
    throw error;
  }
}

async function followBuild(
  id: string,
  client: CodeBuildClient,
  place: AwsPlace,
  observe: DeployObserver,
  signal: AbortSignal,
): Promise<void> {
  const log = new BuildLog(place, observe);
  for (;;) {
    const { builds } = await asking("codebuild:BatchGetBuilds", place.region, signal, () =>
      client.send(new BatchGetBuildsCommand({ ids: [id] }), { abortSignal: signal }),
    );
    const build = builds?.[0];
    if (build === undefined) throw new SpeechError("DEPLOYMENT_FAILED", `CodeBuild lost the build ${id}`);
    observe({ kind: "waiting", what: `for CodeBuild: ${build.currentPhase ?? "it begins"}` });
    await log.read(build, signal);
    if (build.buildStatus !== "IN_PROGRESS") {
      // The last lines arrive a moment after the end.
      await log.read(build, signal);
      if (build.buildStatus === "SUCCEEDED") return;
      throw buildFailure(`CodeBuild says ${build.buildStatus}${failedPhase(build)} (${id})`, log.lastLines);
    }
    await delay(pollIntervalMs(place), undefined, { signal });
  }
}

function failedPhase({ phases = [] }: Build): string {
  const failed = phases.find(({ phaseStatus }) => phaseStatus !== undefined && phaseStatus !== "SUCCEEDED");
  const reason = failed?.contexts?.find(({ message }) => message)?.message;
  return failed === undefined ? "" : ` in ${failed.phaseType}${reason ? `, ${reason}` : ""}`;
}

class BuildLog {
  lastLines: readonly string[] = [];
  readonly #client: CloudWatchLogsClient;
  readonly #region: string;
  readonly #observe: DeployObserver;
  #nextToken: string | undefined;

  constructor(place: AwsPlace, observe: DeployObserver) {
    this.#client = new CloudWatchLogsClient(clientOptions(place));
    this.#region = place.region;
    this.#observe = observe;
  }

  /** Passes on what is new. A log that does not exist yet, or may not be read, is no reason for a build to fail. */
  async read({ logs }: Build, signal: AbortSignal): Promise<void> {
    if (!logs?.groupName || !logs.streamName) return;
    const { groupName: logGroupName, streamName: logStreamName } = logs;
    for (;;) {
      const page = await asking("logs:GetLogEvents", this.#region, signal, () =>
        this.#client.send(
          new GetLogEventsCommand({
            logGroupName,
            logStreamName,
            startFromHead: true,
            ...(this.#nextToken !== undefined && { nextToken: this.#nextToken }),
          }),
          { abortSignal: signal },
        ),
      ).catch((error: unknown) => {
        signal.throwIfAborted();
        if (isMissing((error as Error).cause) || (error as { code?: string }).code === "ACCESS_DENIED")
          return undefined;
        throw error;
      });
      const lines = (page?.events ?? []).map(({ message }) => (message ?? "").trimEnd());
      for (const line of lines) this.#observe({ kind: "log", source: "CodeBuild", line });
      this.lastLines = [...this.lastLines, ...lines].slice(-TOLD_LINES);
      if (page?.nextForwardToken === undefined || page.nextForwardToken === this.#nextToken) return;
      this.#nextToken = page.nextForwardToken;
      if (lines.length === 0) return;
    }
  }
}
