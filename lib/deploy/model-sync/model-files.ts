/** What of a prepared model goes into the bucket, and the prefix that its content has. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SpeechError } from "../../errors.ts";
import type { CatalogFile } from "../../model/catalog.ts";
import { MANIFEST_FILE, type ModelDirectory } from "../../model/model-directory.ts";

/** Hexadecimal digits of the hash in a prefix: 48 bits, for a handful of models. */
const HASH_CHARS = 12;
const MODEL_NAME = "kokoro-82m-v1.0";

export interface ModelFiles {
  /** Graphs first, the largest files. */
  readonly content: readonly CatalogFile[];
  /** Says that the rest is there, so it is written after it. */
  readonly manifest: CatalogFile;
}

/** @throws {SpeechError} WEIGHTS_UNAVAILABLE when the directory has gone since it was found. */
export async function modelFiles({ path, files }: ModelDirectory): Promise<ModelFiles> {
  const text = await readFile(join(path, MANIFEST_FILE)).catch((cause: unknown) => {
    throw new SpeechError("WEIGHTS_UNAVAILABLE", `${path} holds no whole model any more; run again`, {
      cause,
    });
  });
  return {
    content: files,
    manifest: {
      path: MANIFEST_FILE,
      bytes: text.length,
      sha256: createHash("sha256").update(text).digest("hex"),
    },
  };
}

/**
 * `kokoro-82m-v1.0/0123456789ab/`, by the content of every file: other weights lie beside the old ones, which running
 * instances go on using, and make another endpoint configuration.
 */
export async function modelPrefix(model: ModelDirectory): Promise<string> {
  const { content, manifest } = await modelFiles(model);
  const hash = createHash("sha256");
  for (const { path, sha256 } of [...content, manifest]) hash.update(`${path} ${sha256}\n`);
  return `${MODEL_NAME}/${hash.digest("hex").slice(0, HASH_CHARS)}/`;
}
