/** The build's context as a zip, the same bytes for the same source: CodeBuild builds from it. */
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ZipFile } from "yazl";
import type { ImageDefinition } from "./image-definition.ts";
import { REPOSITORY_ROOT, sourceSet } from "./source-set.ts";

/** A time that every file has: the zip must not depend on when the source was checked out. */
const FILE_TIME = new Date("2020-01-01T00:00:00Z");
const FILE_MODE = 0o100644;

/** Of a megabyte or two: source text, held in memory. */
export async function sourceZip(image: ImageDefinition, root: URL = REPOSITORY_ROOT): Promise<Buffer> {
  const zip = new ZipFile();
  for (const path of await sourceSet(image, root)) {
    zip.addFile(fileURLToPath(new URL(path, root)), path, { mtime: FILE_TIME, mode: FILE_MODE });
  }
  zip.end();
  return await buffer(zip.outputStream);
}
