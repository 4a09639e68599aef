/** What the demo leaves behind: one WAV a mode and report.json, all in one folder, each whole or absent. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ComparisonReport } from "../../lib/bench/report.ts";
import { makeFolder } from "../../lib/model/folder.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import { AudioFile } from "../audio-file.ts";
import { fileError } from "../file-error.ts";

const REPORT_NAME = "report.json";
const NEXT = "choose another --out";

export class DemoFiles {
  /** By mode, and `report`; names within the folder. */
  readonly names: Readonly<Record<string, string>>;
  /** The same, as paths for the user. */
  readonly paths: Readonly<Record<string, string>>;
  readonly #audio: ReadonlyMap<AgentMode, AudioFile>;
  readonly #reportPath: string;

  private constructor(folder: string, audio: ReadonlyMap<AgentMode, AudioFile>) {
    this.#audio = audio;
    this.#reportPath = join(folder, REPORT_NAME);
    const names = [...[...audio.keys()].map((mode) => [mode, wavName(mode)]), ["report", REPORT_NAME]];
    this.names = Object.fromEntries(names);
    this.paths = Object.fromEntries(names.map(([key, name]) => [key, join(folder, name!)]));
  }

  /** @throws {SpeechError} CONFIGURATION when the folder cannot be made or written. */
  static async open(folder: string, modes: readonly AgentMode[]): Promise<DemoFiles> {
    await makeFolder(folder).catch((cause) => {
      throw fileError("write", folder, cause, NEXT);
    });
    const audio = new Map<AgentMode, AudioFile>();
    try {
      for (const mode of modes) audio.set(mode, await AudioFile.open(join(folder, wavName(mode))));
    } catch (error) {
      for (const file of audio.values()) await file.discard();
      throw error;
    }
    return new DemoFiles(folder, audio);
  }

  async write(mode: AgentMode, pcm: Uint8Array, sampleRateHz: number): Promise<void> {
    await this.#audio.get(mode)!.write(pcm, sampleRateHz);
  }

  async finish(report: ComparisonReport): Promise<void> {
    for (const file of this.#audio.values()) await file.finish();
    const part = `${this.#reportPath}.${process.pid}.part`;
    try {
      await writeFile(part, `${JSON.stringify(report, null, 1)}\n`);
      await rename(part, this.#reportPath);
    } catch (cause) {
      await rm(part, { force: true });
      throw fileError("write", this.#reportPath, cause, NEXT);
    }
  }

  /** Removes what is not finished; harmless afterwards. */
  async discard(): Promise<void> {
    for (const file of this.#audio.values()) await file.discard();
  }
}

function wavName(mode: AgentMode): string {
  return `${mode}.wav`;
}
