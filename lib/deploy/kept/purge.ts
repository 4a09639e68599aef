/**
 * Deletes what the stacks keep. Only what carries our tags at the moment of deletion; a bucket and a repository must be
 * emptied first, of every version, because AWS deletes none that holds something.
 */
import { CloudWatchLogsClient, DeleteLogGroupCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DeleteRepositoryCommand, ECRClient } from "@aws-sdk/client-ecr";
import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
} from "@aws-sdk/client-s3";
import { SpeechError } from "../../errors.ts";
import { clientOptions, s3Client } from "../aws-clients.ts";
import type { DeploymentPlace } from "../deployment-place.ts";
import type { DeployObserver } from "../progress.ts";
import type { Steps } from "../steps.ts";
import { bucketVersions } from "./bucket-versions.ts";
import type { KeptName } from "./kept-names.ts";
import { findKept, type KeptResource } from "./kept-resources.ts";

export interface PurgeWork {
  readonly steps: Steps;
  readonly observe: DeployObserver;
  readonly signal: AbortSignal;
}

/** @returns what was deleted. */
export async function purge(
  place: DeploymentPlace,
  stage: string,
  names: readonly KeptName[],
  { steps, observe, signal }: PurgeWork,
): Promise<KeptName[]> {
  const kept = await findKept(place, stage, names, signal);
  for (const resource of kept) {
    await steps.run(`purge ${resource.kind}`, async () => {
      await deleteKept(resource, place, observe, signal);
      return { state: "done", detail: `${resource.name} deleted` };
    });
  }
  return kept.map(({ kind, name }) => ({ kind, name }));
}

async function deleteKept(
  { kind, name }: KeptResource,
  place: DeploymentPlace,
  observe: DeployObserver,
  abortSignal: AbortSignal,
): Promise<void> {
  if (kind === "bucket") return deleteBucket(name, place, observe, abortSignal);
  if (kind === "repository") {
    const client = new ECRClient(clientOptions(place));
    await client.send(new DeleteRepositoryCommand({ repositoryName: name, force: true }), { abortSignal });
    return;
  }
  const client = new CloudWatchLogsClient(clientOptions(place));
  await client.send(new DeleteLogGroupCommand({ logGroupName: name }), { abortSignal });
}

async function deleteBucket(
  Bucket: string,
  place: DeploymentPlace,
  observe: DeployObserver,
  abortSignal: AbortSignal,
): Promise<void> {
  const client = s3Client(place);
  let deleted = 0;
  for await (const page of bucketVersions(client, Bucket, abortSignal)) {
    const Objects = page.map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) continue;
    const { Errors } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
      { abortSignal },
    );
    if (Errors?.[0] !== undefined) throw undeletable(Bucket, Errors[0].Key, Errors[0].Message);
    deleted += Objects.length;
    observe({ kind: "waiting", what: `emptying ${Bucket}: ${deleted} object versions deleted` });
  }
  // At most a thousand at once: a broken sync leaves one or two.
  const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket }), { abortSignal });
  for (const { Key, UploadId } of Uploads ?? []) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key: Key!, UploadId: UploadId! }), {
      abortSignal,
    });
  }
  await client.send(new DeleteBucketCommand({ Bucket }), { abortSignal });
}

function undeletable(bucket: string, key: string | undefined, reason: string | undefined): SpeechError {
  return new SpeechError(
    "DEPLOYMENT_FAILED",
    `cannot delete ${key ?? "an object"} of bucket ${bucket}: ${reason ?? "S3 gives no reason"}`,
  );
}
