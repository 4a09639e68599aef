/**
 * Brings a prepared model into the bucket that SageMaker mounts. Only what is missing or different is sent; a sync that
 * broke off goes on where it stopped; the manifest comes last, so that a prefix with a manifest is whole. Nothing that
 * lies there besides is touched.
 */
import { join } from "node:path";
import type { CatalogFile } from "../../model/catalog.ts";
import type { ModelDirectory } from "../../model/model-directory.ts";
import { type AwsPlace, s3Client } from "../aws-clients.ts";
import type { DeployObserver } from "../progress.ts";
import { ModelBucket } from "./model-bucket.ts";
import { modelFiles } from "./model-files.ts";
import { PART_BYTES, uploadInParts } from "./part-upload.ts";

export interface SyncTarget {
  readonly model: ModelDirectory;
  readonly bucket: string;
  /** Ends in a slash; modelPrefix() makes it. */
  readonly prefix: string;
  /** @default what the bucket is set to */
  readonly kmsKeyId?: string | undefined;
}

export interface SyncResult {
  /** Files sent, with the manifest. */
  readonly uploaded: number;
  /** Files that were there already. */
  readonly skipped: number;
  /** Bytes sent now. */
  readonly bytes: number;
  readonly prefix: string;
}

/** Small files wait for answers more than for the line. */
const FILES_AT_ONCE = 6;

/**
 * @param signal aborting leaves what was sent for the next time.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE for a damaged file, ACCESS_DENIED, TRANSPORT_FAILED, ...
 */
export async function syncModel(
  { model, bucket: bucketName, prefix, kmsKeyId }: SyncTarget,
  place: AwsPlace,
  observer: DeployObserver,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { content, manifest } = await modelFiles(model);
  const client = s3Client(place);
  const bucket = new ModelBucket({ client, place, bucket: bucketName, prefix, kmsKeyId, signal });
  const totalBytes = [...content, manifest].reduce((sum, { bytes }) => sum + bytes, 0);
  let doneBytes = 0;
  let bytes = 0;
  const progress = (count: number, isNew: boolean) => {
    doneBytes += count;
    if (isNew) bytes += count;
    observer({ kind: "transfer", what: "weights", doneBytes, totalBytes });
  };
  try {
    const { missing, same } = await compare(bucket, [...content, manifest]);
    for (const file of same) progress(file.bytes, false);
    const isManifest = (file: CatalogFile) => file === manifest;
    await inParallel(
      missing.filter((file) => !isManifest(file)),
      (file) => send(bucket, file, join(model.path, file.path), progress),
    );
    for (const file of missing.filter(isManifest)) {
      await send(bucket, file, join(model.path, file.path), progress);
    }
    return { uploaded: missing.length, skipped: same.length, bytes, prefix };
  } finally {
    client.destroy();
  }
}

/** Sizes of all in one request; only objects of the right size are looked at one by one. */
async function compare(bucket: ModelBucket, files: readonly CatalogFile[]) {
  const sizes = await bucket.sizes();
  const missing: CatalogFile[] = [];
  const same: CatalogFile[] = [];
  await inParallel(files, async (file) => {
    const isSame = sizes.get(file.path) === file.bytes && (await bucket.holds(file));
    (isSame ? same : missing).push(file);
  });
  return { missing, same };
}

async function send(
  bucket: ModelBucket,
  file: CatalogFile,
  path: string,
  progress: (bytes: number, isNew: boolean) => void,
): Promise<void> {
  if (file.bytes > PART_BYTES) return await uploadInParts(bucket, file, path, progress);
  await bucket.putWhole(file, path);
  progress(file.bytes, true);
}

/** The first failure ends it; those that run are awaited, so that nothing goes on behind the caller's back. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  let hasFailed = false;
  const workers = Array.from({ length: Math.min(FILES_AT_ONCE, queue.length) }, async () => {
    for (let item = queue.shift(); item !== undefined && !hasFailed; item = queue.shift()) {
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  });
  for (const outcome of await Promise.allSettled(workers)) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
