import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "../../../lib/model/folder.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "folder-"));
});
afterAll(() => rm(root, { recursive: true }));

describe("makeFolder", () => {
  it("makes all that is missing, twice as well, and at once from two sides", async () => {
    const path = join(root, "a/b/c");
    await Promise.all([makeFolder(path), makeFolder(path)]);
    await makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it("fails where a file is in the way", async () => {
    await writeFile(join(root, "file"), "");
    await expect(makeFolder(join(root, "file/below"))).rejects.toMatchObject({ code: "EEXIST" });
  });

  // mkdir with `recursive` never returns there (Node 24.21).
  it.runIf(process.platform === "linux")("fails where the file system makes no folders", async () => {
    await expect(makeFolder("/proc/no/such/folder")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
