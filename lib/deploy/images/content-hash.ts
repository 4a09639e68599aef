/**
 * An image's tag: a hash of everything it is built from. The same source has the same tag on every machine, so that it
 * is built once, and a tag in an endpoint's configuration says which source runs.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { IMAGES, type ImageName, type ImageVariant } from "./image-definition.ts";
import { REPOSITORY_ROOT, sourceSet } from "./source-set.ts";

/** Hexadecimal digits: 64 bits, enough that no two sources of one project meet. */
const TAG_DIGITS = 16;

/** @returns `cpu-0123456789abcdef`; of the agent `arm64-...`. */
export async function imageTag(
  name: ImageName,
  variant: ImageVariant,
  root: URL = REPOSITORY_ROOT,
): Promise<string> {
  const image = IMAGES[name];
  const kind = name === "tts" ? variant : image.architecture;
  const hash = createHash("sha256").update(`${name} ${kind}\n`);
  for (const path of await sourceSet(image, root)) {
    const content = await readFile(new URL(path, root));
    // Length before content: no two sets of files give the same bytes.
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return `${kind}-${hash.digest("hex").slice(0, TAG_DIGITS)}`;
}
