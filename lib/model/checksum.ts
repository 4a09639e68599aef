/** Is a file on disk the one of the catalog? Size first: a half file needs no reading. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { CatalogFile } from "./catalog.ts";

/** Hex, in lower case. Reads in pieces: a graph is 325 MB. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) hash.update(chunk);
  return hash.digest("hex");
}

/** False for a file that is missing, too short, too long or different. */
export async function matchesCatalog(
  path: string,
  file: Pick<CatalogFile, "bytes" | "sha256">,
  signal?: AbortSignal,
): Promise<boolean> {
  if ((await sizeOfFile(path)) !== file.bytes) return false;
  return (await sha256Of(path, signal)) === file.sha256;
}

/** undefined when there is no such file. */
export async function sizeOfFile(path: string): Promise<number | undefined> {
  try {
    const stats = await stat(path);
    return stats.isDirectory() ? undefined : stats.size;
  } catch {
    return undefined;
  }
}
