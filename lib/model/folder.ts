/** A folder, made when it is missing. */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Like mkdir with `recursive`, which never returns where a file system says ENOENT below a folder that exists
 * (seen with /proc on Linux, Node 24.21): here that is an error like any other.
 * @throws what the system says.
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) {
    missing.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of missing) {
    await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      // Made by another process in between.
      if (error.code !== "EEXIST" || !(await isFolder(folder))) throw error;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
