/** The Python programs that a benchmark compares with or listens with. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readModelSettings } from "../config/model-settings.ts";
import { SpeechError } from "../errors.ts";
import { CommandError } from "../model/command.ts";
import { type PythonPackages, pythonPackages } from "./python-packages.ts";

/** Names of lists in lib/bench/python. */
export type PythonList = "peers" | "listeners" | "chunkers";

export type PythonEnvironment = PythonPackages;

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
  const root = join(readModelSettings().cacheDir, "python");
  try {
    return await pythonPackages({ name: list, requirements: pythonScript(`${list}.txt`), root }, options);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new SpeechError(
      "CONFIGURATION",
      `this measurement needs Python 3.10 or newer with pip, and packages from PyPI (${cause.message}); install Python, or give this machine a way to its package index`,
      { cause },
    );
  }
}
