/**
 * The exact files of ours that an image is built from: the Dockerfile and what its COPY lines name. The Dockerfile is the one
 * list; the image's content hash and the zip for CodeBuild follow it.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SpeechError } from "../../errors.ts";
import type { ImageDefinition } from "./image-definition.ts";

/** Where this program lies. */
export const REPOSITORY_ROOT: URL = new URL("../../../", import.meta.url);

/** Below a folder that is copied: not of an image, and not the same on every machine. */
const LEFT_OUT = new Set(["node_modules", ".DS_Store"]);

/** @returns paths from the root with forward slashes, in the order of their characters. */
export async function sourceSet(image: ImageDefinition, root: URL = REPOSITORY_ROOT): Promise<string[]> {
  const dockerfile = await readFile(new URL(image.dockerfile, root), "utf8");
  const paths = new Set<string>([image.dockerfile]);
  for (const source of copiedSources(dockerfile)) {
    for (const path of await filesAt(source, root)) paths.add(path);
  }
  return [...paths].sort();
}

/** Sources of the COPY lines that copy from the build's context. */
export function copiedSources(dockerfile: string): string[] {
  const lines = dockerfile.replace(/\\\n/g, " ").split("\n");
  return lines.flatMap((line) => {
    const words = line.trim().split(/\s+/);
    if (words[0] !== "COPY" || words.some((word) => word.startsWith("--from="))) return [];
    return words.slice(1, -1).filter((word) => !word.startsWith("--"));
  });
}

async function filesAt(path: string, root: URL): Promise<string[]> {
  const url = new URL(path, root);
  const found = await stat(url).catch((cause: unknown) => {
    throw new SpeechError("CONFIGURATION", `the image needs ${path}, which this installation lacks`, {
      cause,
    });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(url, { withFileTypes: true });
  const kept = entries.filter((entry) => !LEFT_OUT.has(entry.name));
  const below = await Promise.all(
    kept.map((entry) => filesAt(join(path, entry.name).replaceAll("\\", "/"), root)),
  );
  return below.flat();
}
