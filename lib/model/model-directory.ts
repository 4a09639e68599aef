/**
 * A prepared model on disk, as the engine loads it: `encoder.onnx` and `decoder.onnx` (or `kokoro.onnx`, where the two
 * cannot be parted), all float32, `voices/<name>.bin`, and `manifest.json`, which is written last: without it the
 * directory is not whole.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CatalogFile, type GraphOrigin, VOICE_FILES } from "./catalog.ts";
import { sizeOfFile } from "./checksum.ts";

/** The whole model, of an export that cannot be split. */
export const GRAPH_FILE = "kokoro.onnx";
export const ENCODER_FILE = "encoder.onnx";
export const DECODER_FILE = "decoder.onnx";
export const MANIFEST_FILE = "manifest.json";

/** Raised when preparing gives another graph from the same source: a prepared directory is then made anew. */
export const PREPARATION_VERSION = 2;

export interface Manifest {
  readonly preparation: number;
  readonly origin: GraphOrigin;
  /** Of the graph that was fetched. */
  readonly sourceSha256: string;
  /** Encoder and decoder, or the one whole graph. */
  readonly graphs: readonly CatalogFile[];
  /** What the preparation could not do, in words for people. */
  readonly warnings: readonly string[];
}

export interface ModelDirectory {
  readonly path: string;
  readonly manifest: Manifest;
  /** Every file but the manifest; graphs first. */
  readonly files: readonly CatalogFile[];
  /** Where it was found, in words for people. */
  readonly foundIn: string;
}

/** Where this user's model lies once it was prepared. */
export function cachedModelPath(cacheDir: string): string {
  return join(cacheDir, `kokoro-82m-v1.0-prepared-${PREPARATION_VERSION}`);
}

/** @returns undefined and no error when there is no whole model; it may be in the next place. */
export async function openModelDirectory(path: string, foundIn: string): Promise<ModelDirectory | undefined> {
  const manifest = await readManifest(path);
  if (manifest === undefined || manifest.preparation !== PREPARATION_VERSION) return undefined;
  // Sizes only: hashing 325 MB at every start would cost a second. Contents were checked when they were written.
  const files = [...manifest.graphs, ...VOICE_FILES];
  for (const file of files) {
    if ((await sizeOfFile(join(path, file.path))) !== file.bytes) return undefined;
  }
  return { path, manifest, files, foundIn };
}

export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeFile(join(path, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const value = JSON.parse(await readFile(join(path, MANIFEST_FILE), "utf8")) as Partial<Manifest> | null;
    const isWhole =
      typeof value?.preparation === "number" &&
      (value.origin === "fp32" || value.origin === "int8") &&
      typeof value.sourceSha256 === "string" &&
      Array.isArray(value.graphs) &&
      value.graphs.length > 0 &&
      value.graphs.every(isGraphFile) &&
      Array.isArray(value.warnings);
    return isWhole ? (value as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** The names are known ones: a manifest must not lead out of its directory. */
function isGraphFile(file: Partial<CatalogFile> | null): boolean {
  return (
    [GRAPH_FILE, ENCODER_FILE, DECODER_FILE].includes(file?.path ?? "") &&
    typeof file?.bytes === "number" &&
    typeof file.sha256 === "string"
  );
}
