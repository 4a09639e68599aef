import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchesCatalog, sha256Of, sizeOfFile } from "../../../lib/model/checksum.ts";

// FIPS 180-2, appendix B.1.
const ABC = { bytes: 3, sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" };
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "checksum-"));
  path = join(folder, "abc");
  await writeFile(path, "abc");
});
afterAll(() => rm(folder, { recursive: true }));

describe("checksum", () => {
  it("is the file's SHA-256", async () => expect(await sha256Of(path)).toBe(ABC.sha256));

  it("knows the right file", async () => expect(await matchesCatalog(path, ABC)).toBe(true));

  it("refuses another length, another content, a folder and nothing", async () => {
    await writeFile(join(folder, "abd"), "abd");
    expect(await matchesCatalog(path, { ...ABC, bytes: 4 })).toBe(false);
    expect(await matchesCatalog(join(folder, "abd"), ABC)).toBe(false);
    expect(await matchesCatalog(folder, ABC)).toBe(false);
    expect(await matchesCatalog(join(folder, "none"), ABC)).toBe(false);
  });

  it("has no size for what is no file", async () => {
    expect(await sizeOfFile(folder)).toBeUndefined();
    expect(await sizeOfFile(path)).toBe(3);
  });
});
