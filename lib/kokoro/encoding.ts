/** A sentence after the encoder: all that the decoder needs, frame by frame. Plain data: it passes between threads. */

/** A frame is 25 ms: 600 samples at 24,000 Hz, and two values of pitch and energy. */
export const FRAME_SAMPLES = 600;
export const FRAME_MS = 25;

export interface Encoding {
  readonly frames: number;
  /** float32[channels, frames] */
  readonly features: Float32Array<ArrayBuffer>;
  /** float32[2 * frames], Hz; below VOICED_FROM_HZ there is no voice. */
  readonly pitch: Float32Array<ArrayBuffer>;
  /** float32[2 * frames], in units of the model's own: about -9 in silence, 0 to 10 in speech. */
  readonly energy: Float32Array<ArrayBuffer>;
  /** float32[128] */
  readonly timbre: Float32Array<ArrayBuffer>;
  /** Of the pad in front: silence, but for the onset of the first sound. */
  readonly leadFrames: number;
}

/** kokoro/istftnet.py, SourceModuleHnNSF(voiced_threshod=10). */
export const VOICED_FROM_HZ = 10;

/** Frames `from` (included) to `to` (not included). */
export function featuresBetween(
  { features, frames }: Encoding,
  from: number,
  to: number,
): Float32Array<ArrayBuffer> {
  const channels = features.length / frames;
  const length = to - from;
  const part = new Float32Array(channels * length);
  for (let channel = 0; channel < channels; channel++) {
    const row = channel * frames;
    part.set(features.subarray(row + from, row + to), channel * length);
  }
  return part;
}

/**
 * Pitch of a window, bent a little in front so that the voice has the phase there that it has in the whole sentence.
 *
 * The decoder's excitation is a sum of sines whose phase is the sum of all pitch before it; a window begins at zero.
 * The part of a cycle that it is ahead is taken out of the context, which nobody hears: 1 Hz less over one half-frame
 * (300 samples of 24,000 a second) is 1/80 of a cycle. Every harmonic then fits, since each turns with the same sum.
 * Downwards always: an unvoiced half-frame, a few Hz below the threshold, must not become a voice.
 *
 * @param contextFrames of the window, in front of what is heard.
 */
export function pitchBetween(
  { pitch }: Encoding,
  from: number,
  to: number,
  contextFrames: number,
): Float32Array<ArrayBuffer> {
  const part = pitch.slice(2 * from, 2 * to);
  const bent = 2 * (contextFrames - STEADY_FRAMES);
  if (bent <= 0) return part;
  let cycles = 0;
  for (let index = 0; index < 2 * from; index++) cycles += pitch[index]! / HALF_FRAMES_PER_SECOND;
  const ahead = Math.ceil(cycles) - cycles;
  const bendHz = (ahead * HALF_FRAMES_PER_SECOND) / bent;
  for (let index = 0; index < bent; index++) part[index]! -= bendHz;
  return part;
}

const HALF_FRAMES_PER_SECOND = 80;
/** Frames right before what is heard keep their pitch. */
const STEADY_FRAMES = 4;
