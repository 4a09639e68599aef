/**
 * Python programs of exact versions that a benchmark compares with or listens with: made once by pip, then found in the
 * user's cache. A folder on PYTHONPATH (`pip install --target`), not a venv: some machines' Python lacks ensurepip, all
 * that have pip can do this, and nothing there sees or changes what the machine has installed.
 */
import { createHash } from "node:crypto";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Environment, processEnvironment } from "../config/environment.ts";
import { readModelSettings } from "../config/model-settings.ts";
import { SpeechError } from "../errors.ts";
import { withCacheLock } from "../model/cache-lock.ts";
import { CommandError, runCommand } from "../model/command.ts";

/** Names of lists in lib/bench/python: pinned, and whole, so that pip resolves nothing. */
export type PythonList = "peers" | "listeners" | "chunkers";

export interface PythonEnvironment {
  readonly command: string;
  /** Whole: this process's, with PYTHONPATH. */
  readonly env: Environment;
}

export function pythonScript(name: string): string {
  return fileURLToPath(new URL(`python/${name}`, import.meta.url));
}

/**
 * Safe in several processes at once: the others wait.
 * @param onInstall told once, before pip begins: it may take a minute.
 * @throws {SpeechError} CONFIGURATION where there is no Python with pip, or pip cannot fetch.
 */
export async function pythonEnvironment(
  list: PythonList,
  options: { readonly signal: AbortSignal; readonly onInstall: () => void },
): Promise<PythonEnvironment> {
  const { signal } = options;
  const requirements = pythonScript(`${list}.txt`);
  const root = join(readModelSettings().cacheDir, "python");
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 12);
  const folder = join(root, `${list}-${hash}`);
  try {
    const command = await findPython(signal);
    await withCacheLock(`${folder}.lock`, { signal, onWait: options.onInstall }, async () => {
      if (await isThere(folder)) return;
      options.onInstall();
      await install(command, requirements, folder, signal);
    });
    const env = { ...processEnvironment(), PYTHONPATH: folder, PYTHONNOUSERSITE: "1" };
    return { command, env };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new SpeechError(
      "CONFIGURATION",
      `this measurement needs Python 3.10 or newer with pip, and packages from PyPI (${cause.message}); install Python, or give this machine a way to its package index`,
      { cause },
    );
  }
}

/** Whole or not there: it is renamed into place. */
async function install(command: string, list: string, folder: string, signal: AbortSignal): Promise<void> {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  try {
    // Wheels only: a source archive would run its set-up program.
    const pip = ["-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet"];
    const where = ["--disable-pip-version-check", "--target", part, "-r", list];
    await runCommand(command, [...pip, ...where], { cwd: part, signal });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** `python3` everywhere but on Windows. */
async function findPython(signal: AbortSignal): Promise<string> {
  const test = ["-c", "import sys, pip; assert sys.version_info >= (3, 10)"];
  try {
    await runCommand("python3", test, { cwd: ".", signal });
    return "python3";
  } catch (error) {
    if (!(error instanceof CommandError && error.isMissing)) throw error;
    await runCommand("python", test, { cwd: ".", signal });
    return "python";
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
