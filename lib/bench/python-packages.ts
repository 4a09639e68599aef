/**
 * Python programs of exact versions: made once by pip, then found in the user's cache. A folder on PYTHONPATH
 * (`pip install --target`), not a venv: some machines' Python lacks ensurepip, all that have pip can do this, and nothing
 * there sees or changes what the machine has installed.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Environment, processEnvironment } from "../config/environment.ts";
import { withCacheLock } from "../model/cache-lock.ts";
import { CommandError, runCommand } from "../model/command.ts";

export interface PythonPackages {
  /** The interpreter itself, no wrapper that would get the signals. */
  readonly command: string;
  /** Whole: this process's, with PYTHONPATH. */
  readonly env: Environment;
}

export interface PythonList {
  readonly name: string;
  /** Path of a list that is pinned, and whole, so that pip resolves nothing. */
  readonly requirements: string;
  /** Folder of the cache. */
  readonly root: string;
}

/**
 * Safe in several processes at once: the others wait.
 * @param onInstall told once, before pip begins: it may take a minute.
 * @throws {CommandError} where there is no Python 3.10 with pip, or pip cannot fetch; else the signal's reason.
 */
export async function pythonPackages(
  { name, requirements, root }: PythonList,
  { signal, onInstall = () => {} }: { readonly signal: AbortSignal; readonly onInstall?: () => void },
): Promise<PythonPackages> {
  const python = await findPython(signal);
  const list = await readFile(requirements, "utf8");
  const hash = createHash("sha256").update(`${python.id}\n${list}`).digest("hex").slice(0, 16);
  const folder = join(root, `${name}-${hash}`);
  if (!existsSync(folder)) {
    await withCacheLock(`${folder}.lock`, { signal, onWait: onInstall }, async () => {
      if (existsSync(folder)) return;
      onInstall();
      await install(python.command, requirements, folder, signal);
    });
  }
  const settings = { PYTHONPATH: folder, PYTHONNOUSERSITE: "1", PYTHONDONTWRITEBYTECODE: "1" };
  return { command: python.command, env: { ...processEnvironment(), ...settings } };
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
    // So that every later start reads bytecode that is there already.
    await runCommand(command, ["-m", "compileall", "-q", "-j", "0", part], { cwd: part, signal });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

interface Python {
  readonly command: string;
  /** Version and platform: wheels with compiled parts fit only these. */
  readonly id: string;
}

const ABOUT =
  "import sys, sysconfig, pip; assert sys.version_info >= (3, 10), 'Python 3.10 or newer is needed';" +
  "print(sys.executable); print(sys.implementation.cache_tag, sysconfig.get_platform())";

/** `python3` everywhere but on Windows. */
async function findPython(signal: AbortSignal): Promise<Python> {
  let reason = "there is no Python 3 on this machine";
  for (const command of ["python3", "python"]) {
    try {
      const { stdout } = await promisify(execFile)(command, ["-c", ABOUT], { signal });
      const [executable, id] = stdout.trim().split(/\r?\n/);
      if (executable && id) return { command: executable, id };
    } catch (error) {
      signal.throwIfAborted();
      const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
      if (code !== "ENOENT") reason = `${command} will not do: ${stderr.trim().split("\n").at(-1)}`;
    }
  }
  throw new CommandError(reason, true);
}
