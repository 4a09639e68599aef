import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VOICE_FILES } from "../../../lib/model/catalog.ts";
import {
  cachedModelPath,
  DECODER_FILE,
  ENCODER_FILE,
  type Manifest,
  openModelDirectory,
  PREPARATION_VERSION,
  writeManifest,
} from "../../../lib/model/model-directory.ts";

const MANIFEST: Manifest = {
  preparation: PREPARATION_VERSION,
  origin: "int8",
  sourceSha256: "a".repeat(64),
  graphs: [
    { path: ENCODER_FILE, bytes: 1000, sha256: "b".repeat(64) },
    { path: DECODER_FILE, bytes: 2000, sha256: "c".repeat(64) },
  ],
  warnings: [],
};
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-directory-"));
  await mkdir(join(folder, "voices"));
  // Sparse files: the right lengths without the bytes.
  for (const file of [...MANIFEST.graphs, ...VOICE_FILES]) {
    await writeFile(join(folder, file.path), "");
    await truncate(join(folder, file.path), file.bytes);
  }
  await writeManifest(folder, MANIFEST);
});
afterEach(() => rm(folder, { recursive: true }));

describe("model directory", () => {
  it("is opened when it is whole", async () => {
    expect(await openModelDirectory(folder, "the cache")).toEqual({
      path: folder,
      manifest: MANIFEST,
      files: [...MANIFEST.graphs, ...VOICE_FILES],
      foundIn: "the cache",
    });
  });

  it.each([
    ["no manifest", () => rm(join(folder, "manifest.json"))],
    ["half a manifest", () => writeFile(join(folder, "manifest.json"), '{"preparation":1,"graph')],
    ["a manifest of nothing", () => writeFile(join(folder, "manifest.json"), "null")],
    ["a manifest of another kind", () => writeFile(join(folder, "manifest.json"), '{"preparation":1}')],
    [
      "an old preparation",
      () => writeManifest(folder, { ...MANIFEST, preparation: PREPARATION_VERSION - 1 }),
    ],
    ["no encoder", () => rm(join(folder, ENCODER_FILE))],
    ["half a decoder", () => truncate(join(folder, DECODER_FILE), 500)],
    ["no graph named", () => writeManifest(folder, { ...MANIFEST, graphs: [] })],
    [
      "a graph elsewhere",
      () => writeManifest(folder, { ...MANIFEST, graphs: [{ path: "../x.onnx", bytes: 1, sha256: "" }] }),
    ],
    ["a voice missing", () => rm(join(folder, "voices/zm_yunyang.bin"))],
    ["half a voice", () => truncate(join(folder, "voices/af_heart.bin"), 4)],
  ])("is not taken with %s", async (_name, damage) => {
    await damage();
    expect(await openModelDirectory(folder, "here")).toBeUndefined();
  });

  it("is not there", async () => expect(await openModelDirectory(join(folder, "none"), "x")).toBeUndefined());

  it("has the preparation's number in its name in the cache", () => {
    expect(cachedModelPath("/c")).toContain(`prepared-${PREPARATION_VERSION}`);
  });
});
