/**
 * A large file in parts. What an earlier, broken sync has sent is kept: its unfinished upload is found, its parts are
 * compared by their checksums while the file is read, and only the missing ones are sent. The object appears when the
 * whole file's SHA-256 was the expected one, and not before.
 *
 * Not @aws-sdk/lib-storage: its Upload begins anew each time.
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { isSpeechError } from "../../errors.ts";
import type { CatalogFile } from "../../model/catalog.ts";
import { type ModelBucket, requireSame } from "./model-bucket.ts";

/** 5 MiB to 5 GiB (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html); small ones lose little when a line breaks. */
export const PART_BYTES = 8 * 1024 * 1024;
/** In memory at once, with what is being read: 40 MiB. */
const PARTS_AT_ONCE = 4;

/**
 * @param progress hears of each part that is there, and whether it was sent now.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE when the file is damaged; what the bucket says.
 */
export async function uploadInParts(
  bucket: ModelBucket,
  file: CatalogFile,
  path: string,
  progress: (bytes: number, isNew: boolean) => void,
): Promise<void> {
  const { uploadId, parts: there } = await findOrBegin(bucket, file);
  const address = { ...bucket.address(file), UploadId: uploadId };
  const running = new Set<Promise<void>>();
  try {
    const done: CompletedPart[] = [];
    const whole = createHash("sha256");
    for await (const { number, bytes } of readParts(path)) {
      whole.update(bytes);
      const checksum = createHash("sha256").update(bytes).digest("base64");
      const known = there.get(number);
      if (known?.ChecksumSHA256 === checksum) {
        done.push(known);
        progress(bytes.length, false);
        continue;
      }
      const part = bucket
        .ask("s3:PutObject", () =>
          bucket.client.send(
            new UploadPartCommand({ ...address, PartNumber: number, Body: bytes, ChecksumSHA256: checksum }),
            { abortSignal: bucket.signal },
          ),
        )
        .then(({ ETag }) => {
          done.push({ PartNumber: number, ETag, ChecksumSHA256: checksum });
          progress(bytes.length, true);
        });
      running.add(part);
      // The failure is met below; here it must not pass for one that nobody heard of.
      part.catch(() => {}).finally(() => running.delete(part));
      if (running.size >= PARTS_AT_ONCE) await Promise.race(running);
    }
    await Promise.all(running);
    requireSame(file, whole.digest("hex"), path);
    const ordered = done.sort((a, b) => a.PartNumber! - b.PartNumber!);
    await bucket.ask("s3:PutObject", () =>
      bucket.client.send(
        new CompleteMultipartUploadCommand({ ...address, MultipartUpload: { Parts: ordered } }),
        { abortSignal: bucket.signal },
      ),
    );
  } catch (error) {
    await Promise.allSettled(running);
    // Parts of a damaged file are of no use to the next sync; those of a broken line are.
    if (isSpeechError(error) && error.code === "WEIGHTS_UNAVAILABLE") await abort(bucket, file, uploadId);
    throw error;
  }
}

interface FoundUpload {
  readonly uploadId: string;
  readonly parts: ReadonlyMap<number, CompletedPart>;
}

/** The newest unfinished upload of this object; older ones are given up. */
async function findOrBegin(bucket: ModelBucket, file: CatalogFile): Promise<FoundUpload> {
  const { Bucket, Key } = bucket.address(file);
  const { Uploads = [] } = await bucket.ask("s3:ListBucketMultipartUploads", () =>
    bucket.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }), {
      abortSignal: bucket.signal,
    }),
  );
  const [newest, ...older] = Uploads.filter((upload) => upload.Key === Key).sort(
    (a, b) => Number(b.Initiated) - Number(a.Initiated),
  );
  for (const { UploadId } of older) await abort(bucket, file, UploadId!);
  if (newest !== undefined) {
    return { uploadId: newest.UploadId!, parts: await listParts(bucket, file, newest.UploadId!) };
  }
  const { UploadId } = await bucket.ask("s3:PutObject", () =>
    bucket.client.send(
      new CreateMultipartUploadCommand({
        Bucket,
        Key,
        ...bucket.description(file),
        ChecksumAlgorithm: "SHA256",
      }),
      { abortSignal: bucket.signal },
    ),
  );
  return { uploadId: UploadId!, parts: new Map() };
}

async function listParts(
  bucket: ModelBucket,
  file: CatalogFile,
  uploadId: string,
): Promise<Map<number, CompletedPart>> {
  const found = new Map<number, CompletedPart>();
  let marker: string | undefined;
  do {
    const page = await bucket.ask("s3:ListMultipartUploadParts", () =>
      bucket.client.send(
        new ListPartsCommand({ ...bucket.address(file), UploadId: uploadId, PartNumberMarker: marker }),
        { abortSignal: bucket.signal },
      ),
    );
    for (const { PartNumber, ETag, ChecksumSHA256 } of page.Parts ?? []) {
      found.set(PartNumber!, { PartNumber, ETag, ChecksumSHA256 });
    }
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return found;
}

async function abort(bucket: ModelBucket, file: CatalogFile, uploadId: string): Promise<void> {
  await bucket.ask("s3:AbortMultipartUpload", () =>
    bucket.client.send(new AbortMultipartUploadCommand({ ...bucket.address(file), UploadId: uploadId })),
  );
}

async function* readParts(path: string): AsyncGenerator<{ number: number; bytes: Uint8Array }> {
  const file = await open(path);
  try {
    for (let number = 1; ; number++) {
      // A buffer of its own each: the last ones are still being sent.
      const buffer = Buffer.allocUnsafe(PART_BYTES);
      let length = 0;
      while (length < PART_BYTES) {
        const { bytesRead } = await file.read(buffer, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > 0) yield { number, bytes: buffer.subarray(0, length) };
      if (length < PART_BYTES) return;
    }
  } finally {
    await file.close();
  }
}
