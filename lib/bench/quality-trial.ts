/** Speaks each text whole and in windows, has both listened to, and pairs what was heard. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toPcm16 } from "../audio/pcm16.ts";
import { resample } from "../audio/resample.ts";
import { BenchProcess } from "./bench-process.ts";
import type { OurEngine } from "./engine-speakers.ts";
import { type PythonEnvironment, pythonScript } from "./python-environment.ts";
import { largestJoinStep, levelDb, plainWords, wordErrorRate } from "./sound-comparison.ts";
import { type PairedDifference, pairedDifference, type Summary, summarize } from "./statistics.ts";

export interface Listened {
  /** Word error rate, 0-1 and above. */
  readonly wer: number;
  /** Opinion of the whole, 1-5. */
  readonly dnsmos: number;
  /** Opinion of continuity, 1-5. */
  readonly plcmos: number;
  readonly levelDb: number;
}
const FIGURES = ["wer", "dnsmos", "plcmos", "levelDb"] as const;

export interface QualityClip {
  readonly words: number;
  readonly whole: Listened;
  readonly windows: Listened;
  readonly joins: number;
  /** Largest step near a join over the largest in the whole; null where nothing was joined. */
  readonly joinStep: number | null;
}

export interface QualityReport {
  readonly whole: Readonly<Record<keyof Listened, Summary | null>>;
  readonly windows: Readonly<Record<keyof Listened, Summary | null>>;
  /** Windows less whole, clip by clip. */
  readonly difference: Readonly<Record<keyof Listened, PairedDifference | null>>;
  readonly joinStep: Summary | null;
  readonly clips: readonly QualityClip[];
}

export interface QualityTrialOptions {
  readonly engine: OurEngine;
  readonly python: PythonEnvironment;
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

const SAMPLE_RATE_HZ = 24_000;
/** Of the recognizer and of both models of opinion. */
const LISTENER_RATE_HZ = 16_000;

export async function runQualityTrial(options: QualityTrialOptions): Promise<QualityReport> {
  const { engine, python, texts, signal, onProgress } = options;
  const folder = await mkdtemp(join(tmpdir(), "speech-quality-"));
  const listener = await BenchProcess.python("the listener", python, [pythonScript("listen.py")], signal);
  try {
    const speak = async (text: string, windows: boolean) => {
      const path = join(folder, "sound");
      const { joins } = await engine.ask({ text, windows, keep: path });
      const bytes = new Uint8Array(await readFile(path));
      const samples = new Float32Array(bytes.buffer);
      await writeFile(path, toPcm16(resample(samples, SAMPLE_RATE_HZ, LISTENER_RATE_HZ)));
      const heard = await listener.ask<{ words: string[]; dnsmos: number; plcmos: number }>({ path });
      const { dnsmos, plcmos, words } = heard;
      const wer = wordErrorRate(plainWords(text), words);
      return { samples, joins, listened: { wer, dnsmos, plcmos, levelDb: levelDb(samples) } };
    };
    const clips: QualityClip[] = [];
    for (const text of texts) {
      signal.throwIfAborted();
      const whole = await speak(text, false);
      const windows = await speak(text, true);
      clips.push({
        words: plainWords(text).length,
        whole: whole.listened,
        windows: windows.listened,
        joins: windows.joins.length,
        joinStep: largestJoinStep(windows.samples, windows.joins, whole.samples),
      });
      onProgress(clips.length, texts.length);
    }
    return qualityReport(clips);
  } finally {
    await listener.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export function qualityReport(clips: readonly QualityClip[]): QualityReport {
  const each = <Value>(value: (figure: keyof Listened) => Value) =>
    Object.fromEntries(FIGURES.map((figure) => [figure, value(figure)])) as Record<keyof Listened, Value>;
  return {
    whole: each((figure) => summarize(clips.map((clip) => clip.whole[figure]))),
    windows: each((figure) => summarize(clips.map((clip) => clip.windows[figure]))),
    difference: each((figure) =>
      pairedDifference(clips.map((clip) => clip.windows[figure] - clip.whole[figure])),
    ),
    joinStep: summarize(clips.map((clip) => clip.joinStep)),
    clips,
  };
}
