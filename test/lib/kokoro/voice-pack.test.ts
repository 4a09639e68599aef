import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STYLE_LENGTH, VOICE_PACK_BYTES, VoicePack } from "../../../lib/kokoro/voice-pack.ts";
import { VOICE_BYTES } from "../../../lib/model/catalog.ts";

/** Each number is that of its row. */
const rows = Float32Array.from({ length: 510 * STYLE_LENGTH }, (_, index) =>
  Math.floor(index / STYLE_LENGTH),
);

describe("voice pack", () => {
  const pack = new VoicePack(rows);

  // docs/adr/0007: row `ids - 1`. kokoro.js would give rows 1, 2, 100, 509.
  it.each([
    [1, 0],
    [2, 1],
    [100, 99],
    [509, 508],
    [510, 509],
  ])("gives for %i ids row %i", (tokenCount, row) => {
    const style = pack.styleFor(tokenCount);
    expect(style).toHaveLength(256);
    expect([...new Set(style)]).toEqual([row]);
  });

  it.each([0, -1, 511, 1.5, Number.NaN])("fails for %d ids", (tokenCount) => {
    expect(() => pack.styleFor(tokenCount)).toThrow(RangeError);
  });

  it("has the length that the catalog says", () => expect(VOICE_PACK_BYTES).toBe(VOICE_BYTES));

  describe("on disk", () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "voice-pack-"));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it("is read as little-endian float32", async () => {
      await writeFile(join(folder, "good.bin"), new Uint8Array(rows.buffer));
      expect((await VoicePack.read(join(folder, "good.bin"))).styleFor(7)[0]).toBe(6);
    });

    it.each([0, 4, VOICE_PACK_BYTES - 1, VOICE_PACK_BYTES + 4])("fails with %i bytes", async (length) => {
      await writeFile(join(folder, "bad.bin"), new Uint8Array(length));
      await expect(VoicePack.read(join(folder, "bad.bin"))).rejects.toMatchObject({
        code: "WEIGHTS_UNAVAILABLE",
      });
    });
  });
});

describe("a blend of packs", () => {
  it("is their weighted mean, row by row", () => {
    const filled = (value: number) => new VoicePack(new Float32Array(510 * 256).fill(value));
    const blend = VoicePack.blend([
      { pack: filled(3), share: 2 / 3 },
      { pack: filled(6), share: 1 / 3 },
    ]);
    expect(blend.styleFor(1)[0]).toBeCloseTo(4);
    expect(blend.styleFor(510)[255]).toBeCloseTo(4);
  });
});
