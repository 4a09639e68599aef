/** Figures of an engine trial: pure arithmetic over its measurements. Each formula stands here once. */
import { type Latency, latency } from "./container-trial.ts";
import type { Measurement } from "./engine-trial.ts";
import type { SpeakerText } from "./speaker.ts";
import { median, type Summary, summarize } from "./statistics.ts";

/** Names of our engine's two ways. */
export const OURS_WHOLE = "ours, whole";
export const OURS_WINDOWS = "ours, windows";

const SAMPLE_RATE_HZ = 24_000;

export interface EngineReport {
  readonly rounds: number;
  readonly speakers: readonly SpeakerReport[];
  /** Over the clips: first sound with windows as a share of the time that the whole takes without. */
  readonly firstSoundShare: Summary | null;
  /** The same of the clip whose length is nearest to 100 characters. */
  readonly firstSoundShareOf100Chars: number | null;
  /** Over the clips: total time with windows against whole. */
  readonly windowsTotal: Summary | null;
  /** Texts read by our front end, the first ever included. */
  readonly phonemesMs: Latency;
  readonly clips: readonly ClipReport[];
}

export interface SpeakerReport {
  readonly name: string;
  /** Time over sound; peers keep the silence at head and tail, which we do not. Over the clips, of each the median of its rounds. */
  readonly rtf: Summary | null;
  readonly firstMs: Summary | null;
  /** Over the clips: time of ours, whole, over this one's for the same sounds; below 1 we are faster. */
  readonly oursAgainstIt: Summary | null;
  /** Median over the clips of how far a clip's rounds lie apart, as a share of their median: the noise of the machine. */
  readonly roundSpread: number | null;
  /** Largest resident memory of its process. */
  readonly peakMiB: number | null;
}

export interface ClipReport {
  readonly words: number;
  readonly chars: number;
  readonly audioSeconds: number;
  /** By speaker: medians over the rounds. */
  readonly rtf: Readonly<Record<string, number>>;
  readonly firstMs: Readonly<Record<string, number>>;
}

export interface EngineReportInput {
  readonly texts: readonly SpeakerText[];
  /** In the order in which they are shown. */
  readonly speakers: readonly { readonly name: string; readonly peakMiB: number | null }[];
  readonly rounds: number;
  readonly measurements: readonly Measurement[];
  /** Of texts read before the trial, in their order. */
  readonly phonemesMs: readonly number[];
}

export function engineReport(input: EngineReportInput): EngineReport {
  const { texts, speakers, rounds, measurements } = input;
  const of = (speaker: string, clip: number) =>
    measurements.filter((one) => one.speaker === speaker && one.clip === clip);
  const middle = (speaker: string, clip: number, value: (one: Measurement) => number) =>
    median(of(speaker, clip).map(value));
  const overClips = (value: (clip: number) => number | null) =>
    summarize(texts.map((_, clip) => value(clip)));
  const ratio = (above: number | null, below: number | null) =>
    above === null || below === null || below === 0 ? null : above / below;
  const rtf = (speaker: string, clip: number) => middle(speaker, clip, rtfOf);
  const wholeMs = (speaker: string, clip: number) => middle(speaker, clip, (one) => one.wholeMs);
  const firstMs = (speaker: string, clip: number) => middle(speaker, clip, (one) => one.firstMs);
  const firstShare = (clip: number) => ratio(firstMs(OURS_WINDOWS, clip), wholeMs(OURS_WHOLE, clip));

  const byName = <Value>(value: (name: string) => Value | null) =>
    Object.fromEntries(
      speakers.flatMap(({ name }) => {
        const found = value(name);
        return found === null ? [] : [[name, found] as const];
      }),
    );
  return {
    rounds,
    speakers: speakers.map(({ name, peakMiB }) => ({
      name,
      rtf: overClips((clip) => rtf(name, clip)),
      firstMs: overClips((clip) => firstMs(name, clip)),
      oursAgainstIt: overClips((clip) => ratio(wholeMs(OURS_WHOLE, clip), wholeMs(name, clip))),
      roundSpread: median(
        texts.flatMap((_, clip) => {
          const range = summarize(of(name, clip).map((one) => one.wholeMs));
          return range === null ? [] : [(range.max - range.min) / range.median];
        }),
      ),
      peakMiB,
    })),
    firstSoundShare: overClips(firstShare),
    firstSoundShareOf100Chars: firstShare(nearestTo100Chars(texts)),
    windowsTotal: overClips((clip) => ratio(wholeMs(OURS_WINDOWS, clip), wholeMs(OURS_WHOLE, clip))),
    phonemesMs: latency(input.phonemesMs),
    clips: texts.map(({ text }, clip) => ({
      words: text.split(" ").length,
      chars: text.length,
      audioSeconds: (middle(OURS_WHOLE, clip, (one) => one.samples) ?? 0) / SAMPLE_RATE_HZ,
      rtf: byName((name) => rtf(name, clip)),
      firstMs: byName((name) => firstMs(name, clip)),
    })),
  };
}

function rtfOf({ wholeMs, samples }: Measurement): number {
  return wholeMs / ((samples / SAMPLE_RATE_HZ) * 1000);
}

function nearestTo100Chars(texts: readonly SpeakerText[]): number {
  const distances = texts.map(({ text }) => Math.abs(text.length - 100));
  return distances.indexOf(Math.min(...distances));
}
