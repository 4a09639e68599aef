/** The bucket as the sync sees it: where a file goes, what is there already, how a small file is put. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { HeadObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { SpeechError } from "../../errors.ts";
import type { CatalogFile } from "../../model/catalog.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { asking, exceptionName } from "../aws-failure.ts";

/** Metadata of an object: SHA-256 of the whole file, in hex. S3's own checksum of a multipart object is of its parts. */
export const SHA256_METADATA = "sha256";

export interface ModelBucketOptions {
  readonly client: S3Client;
  readonly place: AwsPlace;
  readonly bucket: string;
  /** Ends in a slash. */
  readonly prefix: string;
  /** Key that objects are encrypted with. @default what the bucket is set to */
  readonly kmsKeyId?: string | undefined;
  readonly signal: AbortSignal;
}

export class ModelBucket {
  readonly client: S3Client;
  readonly #options: ModelBucketOptions;

  constructor(options: ModelBucketOptions) {
    this.client = options.client;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Parameters that address a file's object. */
  address({ path }: Pick<CatalogFile, "path">): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${path}` };
  }

  /** Parameters of a new object. */
  description({ sha256 }: CatalogFile) {
    const { kmsKeyId } = this.#options;
    return {
      ContentType: "application/octet-stream",
      Metadata: { [SHA256_METADATA]: sha256 },
      ...(kmsKeyId !== undefined && { ServerSideEncryption: "aws:kms" as const, SSEKMSKeyId: kmsKeyId }),
    };
  }

  /** @param action as IAM names it. @throws {SpeechError} in our words. */
  async ask<Answer>(action: string, call: () => Promise<Answer>): Promise<Answer> {
    const { place, signal, bucket } = this.#options;
    return await asking(action, place.region, signal, async () => {
      try {
        return await call();
      } catch (cause) {
        if (exceptionName(cause) !== "NoSuchBucket") throw cause;
        throw new SpeechError(
          "STACK_NOT_DEPLOYED",
          `there is no bucket ${bucket}; run speech-infra deploy again, which makes it`,
          { cause },
        );
      }
    });
  }

  /** Sizes by path, of all that lies under the prefix. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    const { bucket, prefix } = this.#options;
    const found = new Map<string, number>();
    let token: string | undefined;
    do {
      const page = await this.ask("s3:ListBucket", () =>
        this.client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
          { abortSignal: this.signal },
        ),
      );
      for (const { Key, Size } of page.Contents ?? []) found.set(Key!.slice(prefix.length), Size ?? 0);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return found;
  }

  /** Of an object of the right size: is it this file? */
  async holds(file: CatalogFile): Promise<boolean> {
    const { Metadata } = await this.ask("s3:GetObject", () =>
      this.client.send(new HeadObjectCommand(this.address(file)), { abortSignal: this.signal }),
    );
    return Metadata?.[SHA256_METADATA] === file.sha256;
  }

  /** In one request; S3 compares the checksum before it keeps the object. */
  async putWhole(file: CatalogFile, path: string): Promise<void> {
    const body = await readFile(path, { signal: this.signal });
    const hash = createHash("sha256").update(body).digest();
    requireSame(file, hash.toString("hex"), path);
    await this.ask("s3:PutObject", () =>
      this.client.send(
        new PutObjectCommand({
          ...this.address(file),
          ...this.description(file),
          Body: body,
          ChecksumSHA256: hash.toString("base64"),
        }),
        { abortSignal: this.signal },
      ),
    );
  }
}

/** @throws {SpeechError} WEIGHTS_UNAVAILABLE */
export function requireSame(file: CatalogFile, sha256: string, path: string): void {
  if (sha256 === file.sha256) return;
  throw new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `${path} is damaged: its SHA-256 is ${sha256.slice(0, 12)}..., the manifest says ${file.sha256.slice(0, 12)}...; ` +
      "delete the folder it lies in and run again, the model is then prepared anew",
  );
}
