/** A model directory as the sync reads it, of a few random files: the real one is 350 MB. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CatalogFile } from "../../lib/model/catalog.ts";
import { type ModelDirectory, PREPARATION_VERSION, writeManifest } from "../../lib/model/model-directory.ts";

export class SmallModel implements AsyncDisposable {
  readonly directory: ModelDirectory;

  private constructor(directory: ModelDirectory) {
    this.directory = directory;
  }

  /** @param sizesBytes by path, e.g. {"decoder.onnx": 20_000_000} */
  static async make(sizesBytes: Readonly<Record<string, number>>): Promise<SmallModel> {
    const path = await mkdtemp(join(tmpdir(), "small-model-"));
    const files: CatalogFile[] = [];
    for (const [name, bytes] of Object.entries(sizesBytes)) {
      files.push(await writeRandom(path, name, bytes));
    }
    const manifest = {
      preparation: PREPARATION_VERSION,
      origin: "fp32" as const,
      sourceSha256: "0".repeat(64),
      graphs: files,
      warnings: [],
    };
    await writeManifest(path, manifest);
    return new SmallModel({ path, manifest, files, foundIn: "the test" });
  }

  /** The same model with another content of one file, in its place. */
  async withChanged(name: string): Promise<ModelDirectory> {
    const { path, manifest, files } = this.directory;
    const bytes = files.find((file) => file.path === name)!.bytes;
    const changed = await writeRandom(path, name, bytes);
    const graphs = files.map((file) => (file.path === name ? changed : file));
    await writeManifest(path, { ...manifest, graphs });
    return { ...this.directory, manifest: { ...manifest, graphs }, files: graphs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory.path, { recursive: true, force: true });
  }
}

async function writeRandom(folder: string, name: string, bytes: number): Promise<CatalogFile> {
  const content = randomBytes(bytes);
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content);
  return { path: name, bytes, sha256: createHash("sha256").update(content).digest("hex") };
}
