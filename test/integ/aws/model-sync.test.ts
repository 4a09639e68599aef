import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { modelPrefix } from "../../../lib/deploy/model-sync/model-files.ts";
import { syncModel } from "../../../lib/deploy/model-sync/sync-model.ts";
import type { DeployProgress } from "../../../lib/deploy/progress.ts";
import type { ModelDirectory } from "../../../lib/model/model-directory.ts";
import { SmallModel } from "../../helpers/small-model.ts";
import { CLIENT, python, useEmulator } from "./emulator-session.ts";

const BUCKET = "weights";
const MIB = 1024 * 1024;
/** Four parts, two parts, and files of one request. */
const SIZES = {
  "decoder.onnx": 26 * MIB,
  "encoder.onnx": 9 * MIB,
  "voices/af_heart.bin": 522_240,
  "voices/bf_emma.bin": 522_240,
};
const ALL_BYTES = 35 * MIB + 2 * 522_240;

describe.skipIf(python === undefined)("a model's sync", () => {
  const session = useEmulator();
  const signal = new AbortController().signal;
  const s3 = () => new S3Client({ ...CLIENT, forcePathStyle: true });
  const events: DeployProgress[] = [];
  const place = () => ({ region: CLIENT.region, endpointUrl: session.emulator.url });

  async function sync(model: ModelDirectory, prefix?: string) {
    events.length = 0;
    const target = { model, bucket: BUCKET, prefix: prefix ?? (await modelPrefix(model)) };
    return await syncModel(target, place(), (event) => events.push(event), signal);
  }

  const puts = async () => (await session.emulator.state()).calls.filter((call) => call === "s3:PutObject");

  beforeEach(async () => {
    await s3().send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  it("sends every file with its SHA-256, the manifest last", async () => {
    await using model = await SmallModel.make(SIZES);
    const result = await sync(model.directory);
    expect(result).toMatchObject({ uploaded: 5, skipped: 0 });
    expect(result.bytes).toBeGreaterThan(ALL_BYTES);
    expect(result.prefix).toMatch(/^kokoro-82m-v1\.0\/[0-9a-f]{12}\/$/);
    const heads = await Promise.all(
      [...model.directory.files, { path: "manifest.json" }].map(({ path }) =>
        s3().send(new HeadObjectCommand({ Bucket: BUCKET, Key: `${result.prefix}${path}` })),
      ),
    );
    expect(heads.slice(0, -1).map(({ Metadata }) => Metadata?.sha256)).toEqual(
      model.directory.files.map(({ sha256 }) => sha256),
    );
    const times = heads.map(({ LastModified }) => Number(LastModified));
    expect(Math.max(...times)).toBe(times.at(-1));
    const decoder = await s3().send(
      new GetObjectCommand({ Bucket: BUCKET, Key: `${result.prefix}decoder.onnx` }),
    );
    expect(decoder.ContentLength).toBe(SIZES["decoder.onnx"]);
    expect(events.at(-1)).toMatchObject({ kind: "transfer", what: "weights" });
    const last = events.at(-1) as Extract<DeployProgress, { kind: "transfer" }>;
    expect(last.doneBytes).toBe(last.totalBytes);
  });

  it("sends nothing the second time", async () => {
    await using model = await SmallModel.make(SIZES);
    await sync(model.directory);
    const before = (await puts()).length;
    expect(await sync(model.directory)).toMatchObject({ uploaded: 0, skipped: 5, bytes: 0 });
    expect((await puts()).length).toBe(before);
  });

  it("sends a changed file of the same size, and the manifest that tells of it", async () => {
    await using model = await SmallModel.make(SIZES);
    await sync(model.directory, "model/");
    const changed = await model.withChanged("voices/bf_emma.bin");
    expect(await sync(changed, "model/")).toMatchObject({ uploaded: 2, skipped: 3 });
  });

  it("puts other weights beside the old ones", async () => {
    await using model = await SmallModel.make(SIZES);
    const { prefix: old } = await sync(model.directory);
    const changed = await model.withChanged("encoder.onnx");
    const { prefix } = await sync(changed);
    expect(prefix).not.toBe(old);
    await s3().send(new HeadObjectCommand({ Bucket: BUCKET, Key: `${old}encoder.onnx` }));
  });

  it("deletes nothing that lies there besides", async () => {
    await using model = await SmallModel.make(SIZES);
    await s3().send(new PutObjectCommand({ Bucket: BUCKET, Key: "model/notes.txt", Body: "keep" }));
    await sync(model.directory, "model/");
    await s3().send(new HeadObjectCommand({ Bucket: BUCKET, Key: "model/notes.txt" }));
  });

  it("goes on after a break at half of it, without sending again what is there", async () => {
    await using model = await SmallModel.make(SIZES);
    const mend = await session.emulator.inject({ kind: "upload", afterBytes: ALL_BYTES / 2 });
    await expect(sync(model.directory)).rejects.toMatchObject({ name: "SpeechError" });
    const prefix = await modelPrefix(model.directory);
    await expect(
      s3().send(new HeadObjectCommand({ Bucket: BUCKET, Key: `${prefix}manifest.json` })),
    ).rejects.toMatchObject({ name: "NotFound" });
    await mend();
    const result = await sync(model.directory);
    expect(result.bytes).toBeGreaterThan(0);
    // Parts that were on their way when one broke are sent again: how many is a matter of time.
    expect(result.bytes).toBeLessThan(ALL_BYTES);
    const { Uploads = [] } = await s3().send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    expect(Uploads).toEqual([]);
    expect(await sync(model.directory)).toMatchObject({ uploaded: 0, skipped: 5 });
  });

  it("fails for a damaged file and names it; no object comes of it", async () => {
    await using model = await SmallModel.make(SIZES);
    await writeFile(join(model.directory.path, "decoder.onnx"), Buffer.alloc(SIZES["decoder.onnx"]));
    await expect(sync(model.directory)).rejects.toMatchObject({
      code: "WEIGHTS_UNAVAILABLE",
      message: expect.stringContaining("decoder.onnx is damaged"),
    });
    const { Uploads = [] } = await s3().send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    expect(Uploads.map(({ Key }) => Key?.split("/").at(-1))).not.toContain("decoder.onnx");
  });

  it("fails when the permission is missing and names it", async () => {
    await using model = await SmallModel.make(SIZES);
    await session.emulator.inject({ kind: "call", action: "s3:PutObject" });
    await expect(sync(model.directory)).rejects.toMatchObject({
      code: "ACCESS_DENIED",
      message: expect.stringContaining("s3:PutObject"),
    });
  });

  it("fails without a bucket and names the command that makes it", async () => {
    await using model = await SmallModel.make({ "voices/af_heart.bin": 10 });
    const target = { model: model.directory, bucket: "nowhere", prefix: "model/" };
    await expect(syncModel(target, place(), () => {}, signal)).rejects.toMatchObject({
      code: "STACK_NOT_DEPLOYED",
    });
  });

  it("ends with the signal's reason when it is cancelled", async () => {
    await using model = await SmallModel.make(SIZES);
    const cancel = new AbortController();
    const target = { model: model.directory, bucket: BUCKET, prefix: "model/" };
    const observer = () => cancel.abort(new DOMException("interrupted", "AbortError"));
    await expect(syncModel(target, place(), observer, cancel.signal)).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
