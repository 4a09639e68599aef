/** Every version of every object of a bucket, and the marks that older deletions left. The SDK has no paginator for it. */
import { ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3";

export interface ObjectVersion {
  readonly Key: string;
  readonly VersionId: string | undefined;
  /** 0 for a mark. */
  readonly sizeBytes: number;
}

/** Pages of at most 1000, as many as one call can delete. A page may be deleted before the next is asked for. */
export async function* bucketVersions(
  client: S3Client,
  Bucket: string,
  abortSignal: AbortSignal,
): AsyncGenerator<ObjectVersion[]> {
  let next: { KeyMarker: string | undefined; VersionIdMarker: string | undefined } | undefined;
  do {
    const page = await client.send(new ListObjectVersionsCommand({ Bucket, ...next }), { abortSignal });
    const versions = page.Versions ?? [];
    yield [
      ...versions.map(({ Key, VersionId, Size }) => ({ Key: Key!, VersionId, sizeBytes: Size ?? 0 })),
      ...(page.DeleteMarkers ?? []).map(({ Key, VersionId }) => ({ Key: Key!, VersionId, sizeBytes: 0 })),
    ];
    next = page.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
      : undefined;
  } while (next !== undefined);
}
