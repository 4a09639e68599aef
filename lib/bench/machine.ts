/**
 * What a figure was measured on: enough to compare two reports, nothing that names a person or a place (no host
 * name, no user, no path).
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import os from "node:os";
import { promisify } from "node:util";

export interface Machine {
  readonly cpu: string;
  /** Logical cores this process may use. */
  readonly cores: number;
  readonly memoryGiB: number;
  /** e.g. `linux x64`. */
  readonly platform: string;
}

export interface Versions {
  readonly product: string;
  /** Git commit of the source; null outside a clone. `-dirty` when tracked files differ from it. */
  readonly commit: string | null;
  readonly node: string;
  readonly onnxruntime: string;
}

export function describeMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() || "unknown",
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
  };
}

const ROOT = new URL("../../", import.meta.url);

export async function describeVersions(): Promise<Versions> {
  const manifest = JSON.parse(await readFile(new URL("package.json", ROOT), "utf8")) as {
    version: string;
    dependencies: Record<string, string>;
  };
  return {
    product: manifest.version,
    commit: await sourceCommit(),
    node: process.versions.node,
    // The exact version is pinned, so the manifest tells it without loading 45 MB of library.
    onnxruntime: manifest.dependencies["onnxruntime-node"] ?? "unknown",
  };
}

async function sourceCommit(): Promise<string | null> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd: ROOT, timeout: 5_000 })).stdout.trim();
  try {
    const commit = await git("rev-parse", "--short=12", "HEAD");
    const changed = await git("status", "--porcelain", "--untracked-files=no");
    return changed === "" ? commit : `${commit}-dirty`;
  } catch {
    return null; // no git, or not a clone: the version must do
  }
}
