/**
 * Where the sound of a sentence begins and ends. Kokoro puts 200-400 ms of silence in front and 300-700 ms behind; spoken one
 * after the other, sentences would lie 0.8 s apart where a text read in one piece has 0.3-0.4 s between them (af_heart,
 * am_michael, bf_emma). What is kept is planned from the encoding, in whole frames, so that a sentence is as long in windows as
 * it is whole.
 */
import { type Encoding, featuresBetween } from "./encoding.ts";

/**
 * From this energy on there may be sound. Measured on 30 sentences of six voices, the whispering af_nicole among them: every
 * sample above -46 dB lies between the first and the last half-frame so loud, the first of them 10-80 ms after it, the last
 * 0-300 ms before (2026-12-01).
 */
const SOUND_FROM_ENERGY = -5;
/** 50 ms kept in front: with what lies between energy and sound 60-130 ms of silence. */
export const HEAD_FRAMES = 2;
/** 150 ms kept behind: two sentences then lie as far apart as in a text read in one piece. */
export const TAIL_FRAMES = 6;

/** Frames that are spoken: `from` included, `to` not. All of them where nothing is loud. */
export function keptFrames({ frames, energy }: Pick<Encoding, "frames" | "energy">): {
  from: number;
  to: number;
} {
  const isLoud = (value: number) => value > SOUND_FROM_ENERGY;
  const first = energy.findIndex(isLoud);
  if (first === -1) return { from: 0, to: frames };
  const last = energy.findLastIndex(isLoud);
  return {
    from: Math.max(0, Math.floor(first / 2) - HEAD_FRAMES),
    to: Math.min(frames, Math.floor(last / 2) + 1 + TAIL_FRAMES),
  };
}

/** Context where there is only silence: enough for the convolutions nearest to the sound. */
const SILENT_CONTEXT_FRAMES = 4;

export interface SpokenPart {
  /** Cut to what is decoded at all: the voice's phase counts from its beginning, in windows as whole. */
  readonly encoding: Encoding;
  /** Frames of it that are kept, `from` included, `end` not; what lies around them is context. */
  readonly from: number;
  readonly end: number;
}

export function withoutSilence(encoding: Encoding): SpokenPart {
  const { from, to } = keptFrames(encoding);
  const start = Math.max(0, from - SILENT_CONTEXT_FRAMES);
  const stop = Math.min(encoding.frames, to + SILENT_CONTEXT_FRAMES);
  return {
    encoding: {
      ...encoding,
      frames: stop - start,
      features: featuresBetween(encoding, start, stop),
      pitch: encoding.pitch.slice(2 * start, 2 * stop),
      energy: encoding.energy.slice(2 * start, 2 * stop),
      leadFrames: Math.max(0, encoding.leadFrames - start),
    },
    from: from - start,
    end: to - start,
  };
}
