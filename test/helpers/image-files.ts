/**
 * Makes in a folder what an image has at /app, by its Dockerfile's own lines: its COPY lines from this repository and the RUN
 * lines of its `packages` stage. A file that is not copied, or a package that is not locked, is missing here as there.
 */
import { cp, mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { execa } from "execa";
import type { ImageDefinition } from "../../lib/deploy/images/image-definition.ts";
import { REPOSITORY_ROOT } from "../../lib/deploy/images/source-set.ts";

export async function assembleImageFiles({ dockerfile }: ImageDefinition, app: string): Promise<void> {
  const text = (await readFile(new URL(dockerfile, REPOSITORY_ROOT), "utf8"))
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replace(/\\\n/g, " ");
  let stage = "";
  for (const line of text.split("\n")) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "FROM") stage = /\sAS\s+(\S+)/i.exec(line)?.[1] ?? "";
    if (word === "COPY" && !rest.some((flag) => flag.startsWith("--from="))) await copy(rest, app);
    if (word === "RUN" && stage === "packages") {
      // `cd /app` in a line of it means the folder here.
      const command = rest.join(" ").replaceAll("/app", app);
      await execa("sh", ["-c", command], { cwd: app });
    }
  }
}

async function copy(words: readonly string[], app: string): Promise<void> {
  const to = words.at(-1)!;
  for (const source of words.slice(0, -1).filter((word) => !word.startsWith("--"))) {
    const target = join(app, to.endsWith("/") ? join(to, basename(source)) : to);
    await mkdir(join(target, ".."), { recursive: true });
    // As .dockerignore says.
    const filter = (path: string) => basename(path) !== "node_modules";
    await cp(new URL(source, REPOSITORY_ROOT), target, { recursive: true, filter });
  }
}
