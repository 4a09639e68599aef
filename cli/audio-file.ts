/**
 * An audio file that grows while speech is being made: PCM16 goes in, WAV or MP3 goes to disk, nothing is kept in
 * memory. It is written beside its place under another name and renamed when it is whole, so that a file that
 * exists is a file that can be played. Opening it first shows that it can be written, before any model starts.
 */
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { createMp3Encoder, type Mp3Encoder } from "../lib/audio/mp3.ts";
import { Pcm16Reader } from "../lib/audio/pcm16.ts";
import { WAV_HEADER_BYTES, wavHeader } from "../lib/audio/wav.ts";
import { SpeechError } from "../lib/errors.ts";
import { makeFolder } from "../lib/model/folder.ts";
import { SAMPLE_RATE_HZ } from "../lib/protocol/limits.ts";
import { fileError } from "./file-error.ts";

export const AUDIO_EXTENSIONS = [".wav", ".mp3"] as const;

export class AudioFile {
  readonly path: string;
  readonly #partPath: string;
  readonly #file: FileHandle;
  readonly #isMp3: boolean;
  #mp3: Mp3Encoder | undefined;
  readonly #samples = new Pcm16Reader();
  #pcmBytes = 0;
  #sampleRateHz: number = SAMPLE_RATE_HZ;

  private constructor(path: string, partPath: string, file: FileHandle) {
    this.path = path;
    this.#partPath = partPath;
    this.#file = file;
    this.#isMp3 = extname(path).toLowerCase() === ".mp3";
  }

  /**
   * Makes the folder too.
   * @throws {SpeechError} CONFIGURATION when the name has another ending, or the place cannot be written.
   */
  static async open(path: string): Promise<AudioFile> {
    requireAudioExtension(path);
    const partPath = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
    try {
      await makeFolder(dirname(path));
      if ((await stat(path).catch(() => undefined))?.isDirectory()) {
        throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
      }
      const file = await open(partPath, "w");
      return new AudioFile(path, partPath, file);
    } catch (cause) {
      throw fileError("write", path, cause, "choose another --out");
    }
  }

  get audioSeconds(): number {
    return this.#pcmBytes / 2 / this.#sampleRateHz;
  }

  /** Resolves when the bytes are the system's. @param pcm PCM16 little-endian mono; may be cut inside a sample. */
  async write(pcm: Uint8Array, sampleRateHz: number): Promise<void> {
    if (this.#pcmBytes === 0) await this.#begin(sampleRateHz);
    else if (sampleRateHz !== this.#sampleRateHz) {
      throw new SpeechError("PROTOCOL_VIOLATION", "the sample rate changed within one stream of audio");
    }
    this.#pcmBytes += pcm.length;
    await this.#append(this.#mp3 ? this.#mp3.encode(this.#samples.push(pcm)) : pcm);
  }

  /** Completes the file and puts it in its place, over an older one. */
  async finish(): Promise<void> {
    if (this.#pcmBytes === 0) await this.#begin(this.#sampleRateHz);
    try {
      if (this.#mp3) await this.#append(this.#mp3.flush());
      else await this.#file.write(wavHeader(this.#sampleRateHz, this.#pcmBytes), 0, WAV_HEADER_BYTES, 0);
      await this.#file.close();
      await rename(this.#partPath, this.path);
    } catch (cause) {
      await this.discard();
      throw fileError("write", this.path, cause, "choose another --out");
    }
  }

  /** Leaves nothing behind; harmless after finish(). */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#partPath, { force: true });
  }

  async #begin(sampleRateHz: number): Promise<void> {
    this.#sampleRateHz = sampleRateHz;
    if (this.#isMp3) this.#mp3 = await createMp3Encoder(sampleRateHz);
    else await this.#append(wavHeader(sampleRateHz)); // its sizes are filled in by finish()
  }

  async #append(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
    } catch (cause) {
      throw fileError("write", this.path, cause, "choose another --out");
    }
  }
}

/** @throws {SpeechError} CONFIGURATION */
export function requireAudioExtension(path: string): void {
  const extension = extname(path).toLowerCase();
  if ((AUDIO_EXTENSIONS as readonly string[]).includes(extension)) return;
  throw new SpeechError(
    "CONFIGURATION",
    `--out must end in ${AUDIO_EXTENSIONS.join(" or ")}, got ${extension ? `"${extension}"` : "no ending"}`,
  );
}
