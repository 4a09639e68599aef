/** What the images are built from: all that their programs load, nothing that is not theirs. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageTag } from "../../../../lib/deploy/images/content-hash.ts";
import { IMAGES, type ImageName } from "../../../../lib/deploy/images/image-definition.ts";
import { copiedSources, REPOSITORY_ROOT, sourceSet } from "../../../../lib/deploy/images/source-set.ts";
import { sourceZip } from "../../../../lib/deploy/images/source-zip.ts";
import { reachableFrom, readImportGraph, readSourceTree } from "../../../helpers/import-graph.ts";

const GRAPH = readImportGraph(readSourceTree(REPOSITORY_ROOT, ["lib", "container"]));

describe.each(["tts", "agent"] as const)("the source of the image %s", (name) => {
  const image = IMAGES[name];

  it("has every file that the program loads, workers too", async () => {
    const set = new Set(await sourceSet(image));
    const needed = [...reachableFrom(GRAPH, `container/${name}/main.ts`)];
    expect(needed.length).toBeGreaterThan(20);
    expect(needed.filter((path) => !set.has(path))).toEqual([]);
  });

  it("has its own manifest and lock, the licences, and nothing of tests, commands or deployment", async () => {
    const set = await sourceSet(image);
    expect(set).toEqual(
      expect.arrayContaining([
        `container/${name}/Dockerfile`,
        `container/${name}/package.json`,
        `container/${name}/package-lock.json`,
        "LICENSE",
        "NOTICE",
      ]),
    );
    expect(set.filter((path) => /^(test|cli|stacks|bin|docs)\/|node_modules|^package/.test(path))).toEqual(
      [],
    );
    expect(set.filter((path) => /^lib\/(deploy|constructs|local|bench)\//.test(path))).toEqual([]);
    expect(set).toEqual([...set].sort());
  });

  it("is the same zip each time, of a size that is quickly sent", async () => {
    const [first, second] = [await sourceZip(image), await sourceZip(image)];
    expect(first.equals(second)).toBe(true);
    expect(first.length).toBeLessThan(2_000_000);
  });
});

describe("a Dockerfile's COPY lines", () => {
  it.each([
    ["COPY a b ./", ["a", "b"]],
    ["COPY --chown=1:1 a /x", ["a"]],
    ["COPY --from=other a b", []],
    ["COPY a \\\n  b \\\n  /x", ["a", "b"]],
    ["  COPY lib/text lib/text", ["lib/text"]],
    ["# COPY a b\nRUN cp a b", []],
  ])("%j", (dockerfile, sources) => expect(copiedSources(dockerfile)).toEqual(sources));
});

describe("the tag", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "image-source-"));
    for (const name of ["tts", "agent"] as const) {
      for (const path of await sourceSet(IMAGES[name])) {
        await cp(new URL(path, REPOSITORY_ROOT), join(root, path));
      }
    }
  });
  afterAll(() => rm(root, { recursive: true }));
  const tag = (name: ImageName, variant: "cpu" | "cuda" = "cpu") =>
    imageTag(name, variant, pathToFileURL(`${root}/`));

  it("is the same in another folder, and says the variant", async () => {
    expect(await tag("tts")).toBe(await imageTag("tts", "cpu"));
    expect(await tag("tts")).toMatch(/^cpu-[0-9a-f]{16}$/);
    expect(await tag("tts", "cuda")).toMatch(/^cuda-[0-9a-f]{16}$/);
    expect(await tag("agent")).toMatch(/^arm64-[0-9a-f]{16}$/);
    expect(await tag("agent", "cuda")).toBe(await tag("agent"));
  });

  it.each(["lib/text/sentence-chunker.ts", "container/tts/package-lock.json", "container/tts/Dockerfile"])(
    "changes with %s, and comes back with it",
    async (path) => {
      const before = await tag("tts");
      const content = await readFile(join(root, path));
      await writeFile(join(root, path), `${content} `);
      expect(await tag("tts")).not.toBe(before);
      await writeFile(join(root, path), content);
      expect(await tag("tts")).toBe(before);
    },
  );

  it("fails when a file that is to be copied is not there", async () => {
    await rm(join(root, "NOTICE"));
    await expect(tag("tts")).rejects.toMatchObject({
      code: "CONFIGURATION",
      message: expect.stringContaining("NOTICE"),
    });
  });
});
