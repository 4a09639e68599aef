/**
 * A whole model directory for KOKORO_MODEL_DIR that is quick to upload: the real voices, and graphs of a few bytes that
 * its manifest tells rightly. It can be stored and moved, not spoken with.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VOICE_FILES } from "../../lib/model/catalog.ts";
import {
  DECODER_FILE,
  ENCODER_FILE,
  PREPARATION_VERSION,
  writeManifest,
} from "../../lib/model/model-directory.ts";
import { modelUnderTest } from "./model-under-test.ts";

export class LightModel implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @returns undefined where this machine has no model to take the voices from: said aloud. @throws the same in CI. */
  static async make(): Promise<LightModel | undefined> {
    const real = await modelUnderTest();
    if (real === undefined) return undefined;
    const path = await mkdtemp(join(tmpdir(), "light-model-"));
    await mkdir(join(path, "voices"));
    for (const voice of VOICE_FILES) await symlink(join(real.path, voice.path), join(path, voice.path));
    const model = new LightModel(path);
    await model.writeGraphs("first");
    return model;
  }

  /** Other words are other weights. */
  async writeGraphs(words: string): Promise<void> {
    const graphs = [ENCODER_FILE, DECODER_FILE].map((name) => ({ name, text: `${name}: ${words}` }));
    for (const { name, text } of graphs) await writeFile(join(this.path, name), text);
    await writeManifest(this.path, {
      preparation: PREPARATION_VERSION,
      origin: "fp32",
      sourceSha256: "0".repeat(64),
      graphs: graphs.map(({ name, text }) => ({
        path: name,
        bytes: text.length,
        sha256: createHash("sha256").update(text).digest("hex"),
      })),
      warnings: [],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
