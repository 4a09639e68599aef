import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AudioFile } from "../../cli/audio-file.ts";
import { readWav } from "../../lib/audio/wav.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "audio-file-"));
});
afterEach(() => rm(folder, { recursive: true }));

const pcm = (samples: number, value = 7) => {
  const bytes = new Uint8Array(samples * 2);
  for (let i = 0; i < samples; i++) new DataView(bytes.buffer).setInt16(i * 2, value, true);
  return bytes;
};

describe("AudioFile", () => {
  it("writes a WAV with the right sizes, making its folder", async () => {
    const file = await AudioFile.open(join(folder, "a/b/speech.wav"));
    await file.write(pcm(100), 24_000);
    await file.write(pcm(50).subarray(0, 99), 24_000); // cut inside a sample
    await file.write(pcm(50).subarray(99), 24_000);
    expect(file.audioSeconds).toBeCloseTo(150 / 24_000);
    await file.finish();
    const wav = readWav(await readFile(file.path));
    expect(wav).toMatchObject({ sampleRateHz: 24_000, channels: 1 });
    expect(wav.pcm16).toEqual(Buffer.from(pcm(150)));
  });

  it("appears only when it is whole, and replaces an older one", async () => {
    const path = join(folder, "speech.wav");
    await writeFile(path, "older");
    const file = await AudioFile.open(path);
    await file.write(pcm(10), 24_000);
    expect(await readFile(path, "utf8")).toBe("older");
    await file.finish();
    expect(readWav(await readFile(path)).pcm16).toHaveLength(20);
    expect(await readdir(folder)).toEqual(["speech.wav"]);
  });

  it("leaves nothing when it is given up", async () => {
    const file = await AudioFile.open(join(folder, "speech.wav"));
    await file.write(pcm(10), 24_000);
    await file.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it("is not harmed by giving it up after the end", async () => {
    const file = await AudioFile.open(join(folder, "speech.wav"));
    await file.write(pcm(10), 24_000);
    await file.finish();
    await file.discard();
    expect(await readdir(folder)).toEqual(["speech.wav"]);
  });

  it("writes an MP3 stream", async () => {
    const file = await AudioFile.open(join(folder, "speech.MP3"));
    for (let i = 0; i < 10; i++) await file.write(pcm(2400), 24_000);
    await file.finish();
    const bytes = await readFile(file.path);
    expect(bytes[0]).toBe(0xff); // frame sync
    expect(bytes.length).toBeGreaterThan(6_000); // 64 kbit/s for a second are 8,000 bytes
    expect(bytes.length).toBeLessThan(12_000);
  });

  it("is a valid empty WAV when nothing was spoken", async () => {
    const file = await AudioFile.open(join(folder, "speech.wav"));
    await file.finish();
    expect(readWav(await readFile(file.path)).pcm16).toHaveLength(0);
  });

  it("fails on another ending", async () => {
    await expect(AudioFile.open(join(folder, "speech.ogg"))).rejects.toThrow(
      /end in \.wav or \.mp3, got "\.ogg"/,
    );
    await expect(AudioFile.open(join(folder, "speech"))).rejects.toThrow(/got no ending/);
  });

  it("fails on a folder of that name, and on a file where a folder should be", async () => {
    await mkdir(join(folder, "taken.wav"));
    await expect(AudioFile.open(join(folder, "taken.wav"))).rejects.toThrow(
      /cannot write .*: it is a folder/,
    );
    await writeFile(join(folder, "plain"), "");
    await expect(AudioFile.open(join(folder, "plain/x.wav"))).rejects.toThrow(/is a file, not a folder/);
  });

  it.skipIf(process.getuid?.() === 0)("fails where it may not write", async () => {
    await chmod(folder, 0o500);
    await expect(AudioFile.open(join(folder, "x.wav"))).rejects.toThrow(
      /permission denied; choose another --out/,
    );
    await chmod(folder, 0o700);
  });

  it.skipIf(process.platform !== "linux")(
    "fails, rather than waits, where no folder can be made",
    async () => {
      await expect(AudioFile.open("/proc/nowhere/x.wav")).rejects.toMatchObject({ code: "CONFIGURATION" });
    },
  );

  it("fails when the rate changes on the way", async () => {
    const file = await AudioFile.open(join(folder, "speech.wav"));
    await file.write(pcm(10), 24_000);
    await expect(file.write(pcm(10), 16_000)).rejects.toMatchObject({ code: "PROTOCOL_VIOLATION" });
    await file.discard();
  });
});
