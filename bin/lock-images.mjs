/**
 * Makes each image's own package-lock.json anew. In an empty folder, because npm would take what the workspace has
 * installed beside the manifest for granted and leave its checksums out of the lock.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

for (const image of readdirSync(join(ROOT, "container"))) {
  const source = join(ROOT, "container", image);
  const folder = mkdtempSync(join(tmpdir(), "image-lock-"));
  try {
    copyFileSync(join(source, "package.json"), join(folder, "package.json"));
    copyFileSync(join(ROOT, ".npmrc"), join(folder, ".npmrc"));
    execFileSync("npm", ["install", "--package-lock-only"], { cwd: folder, stdio: "inherit" });
    copyFileSync(join(folder, "package-lock.json"), join(source, "package-lock.json"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
