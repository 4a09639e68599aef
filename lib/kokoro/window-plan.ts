/**
 * Where a sentence is cut into windows: the first one small, so that it is heard early, later ones as long as
 * what the listener has in hand allows, since every window pays for its context again.
 */
import { type Encoding, VOICED_FROM_HZ } from "./encoding.ts";

/**
 * Decoded on both sides of a window and thrown away. In front 16 frames, which lose nothing of DNSMOS or PLCMOS that is
 * measured; 4 are heard. Behind, 12 give the same spectrum as 16 (distance to whole decoding 4.19 and 4.19 dB; 8: 4.31).
 */
export const CONTEXT_BEFORE_FRAMES = 16;
export const CONTEXT_AFTER_FRAMES = 12;
/** Least and most speech in the first window, after the silence in front. */
const FIRST_FRAMES = 24;
const FIRST_FRAMES_MAX = 48;
/** How much longer than need be the first window is: the machine's pace is guessed, and its cut may come a quarter earlier. */
const FIRST_MARGIN = 1.5;
/** Smaller windows are mostly context. */
const FRAMES_MIN = 20;
/** Of each window after the one before, where none is in time. */
const GROWTH = 2;
/** 3 s: others who speak wait for it, and it pays a fifth for its context, which twice as long would hardly lessen. */
const FRAMES_MAX = 120;
/** The cut may be this part of a window earlier or later than wanted. */
const LEEWAY = 0.25;
/** A rest up to this part of the window, or up to this length, which the context would nearly cost, is taken in. */
const REST_MAX = 0.3;
const REST_MAX_FRAMES = CONTEXT_AFTER_FRAMES + 8;
/**
 * Share of the sound ahead that the next window is planned to take; the rest is for jitter. With 0.9 a listener heard
 * 30 ms of silence after the first window in one demo of two (EPYC, 2 cores, 2026-12-01).
 */
const AHEAD_WANTED = 0.7;
/** What a quieter place for the cut, or a rest taken in, may stretch it to. */
const AHEAD_MOST = 0.8;
/** A cut through a voice is worse than one in a sound this much louder, in the units of the energy. */
const VOICED_PENALTY = 3;
/** A cut at the edge of the leeway must be quieter by this than one at the wanted length. */
const DISTANCE_PENALTY = 1.5;

export interface WindowProgress {
  /** Frames of the window before; 0 before the sentence's first. */
  readonly previousFrames: number;
  /** Sound that the listener has and did not play yet: frames. */
  readonly aheadFrames: number;
}

/** In frames, without context. */
export interface WindowSize {
  readonly wanted: number;
  readonly most: number;
}

/**
 * The second window is decoded while the first is heard, and leaves the listener no poorer if it is at least as long as
 * the time it takes: with s the share of the sound ahead that is used, c the context and p the pace, a first window of
 * c / (s (1/p - 1)). A shorter one is heard sooner, and followed by silence.
 */
function firstFrames(pace: number): number {
  const context = CONTEXT_BEFORE_FRAMES + CONTEXT_AFTER_FRAMES;
  const enough = pace < 1 ? context / (AHEAD_WANTED * (1 / Math.max(pace, 0.01) - 1)) : FIRST_FRAMES_MAX;
  return Math.round(Math.min(FIRST_FRAMES_MAX, Math.max(FIRST_FRAMES, FIRST_MARGIN * enough)));
}

/** @param leadFrames of silence that the window begins with. @param pace time to decode a frame, in frames: 0.3 is three times faster than speech. */
export function windowSize(
  { previousFrames, aheadFrames }: WindowProgress,
  leadFrames: number,
  pace: number,
): WindowSize {
  // pace * (window + both contexts) must not take longer than what the listener has left to play.
  const inTime = (share: number) =>
    Math.floor((share * aheadFrames) / Math.max(pace, 0.01) - CONTEXT_BEFORE_FRAMES - CONTEXT_AFTER_FRAMES);
  const smallest = previousFrames === 0 ? leadFrames + firstFrames(pace) : FRAMES_MIN;
  const most = Math.min(FRAMES_MAX, inTime(AHEAD_MOST));
  if (most >= smallest && pace < 1)
    return { wanted: Math.max(smallest, Math.min(most, inTime(AHEAD_WANTED))), most };
  // Somebody waits for the sentence's first sound: no longer than this. Later ones come late whatever their length,
  // and many small ones would come later.
  if (previousFrames === 0) return { wanted: smallest, most: smallest };
  const grown = Math.floor(Math.max(FIRST_FRAMES, GROWTH * previousFrames));
  return { wanted: Math.min(FRAMES_MAX, grown), most: FRAMES_MAX };
}

/**
 * End of the window that begins at `from`: the quietest frame near the wanted length, or the end of the sentence.
 * @param encoding `frames` is where the sentence ends.
 */
export function nextCut(
  encoding: Pick<Encoding, "frames" | "pitch" | "energy">,
  from: number,
  { wanted, most }: WindowSize,
  isFirst: boolean,
): number {
  const { frames } = encoding;
  const rest = frames - from - wanted;
  // The end has no context behind it. A first window takes it in late, too: the next would be no sooner.
  const isInTime = frames - from <= (isFirst ? FRAMES_MAX : most) + CONTEXT_AFTER_FRAMES;
  if (rest <= 0 || (isInTime && rest <= Math.max(REST_MAX * wanted, REST_MAX_FRAMES))) return frames;
  const leeway = Math.floor(wanted * LEEWAY);
  const earliest = from + Math.max(1, wanted - leeway);
  const latest = Math.min(frames - 1, from + Math.max(wanted, Math.min(wanted + leeway, most)));
  const costAt = (frame: number) =>
    loudnessAt(encoding, frame) + (DISTANCE_PENALTY * Math.abs(frame - from - wanted)) / Math.max(1, leeway);
  let best = earliest;
  for (let frame = earliest; frame <= latest; frame++) if (costAt(frame) < costAt(best)) best = frame;
  return best;
}

/** Around the boundary between frame - 1 and frame. */
function loudnessAt({ pitch, energy }: Pick<Encoding, "pitch" | "energy">, frame: number): number {
  const [before, after] = [2 * frame - 1, 2 * frame];
  const isVoiced = pitch[before]! >= VOICED_FROM_HZ || pitch[after]! >= VOICED_FROM_HZ;
  return energy[before]! + energy[after]! + (isVoiced ? VOICED_PENALTY : 0);
}
