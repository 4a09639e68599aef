/** An engine under measurement, ours or a peer's: a process of its own that speaks one text at a time. */

export interface SpeakerText {
  readonly text: string;
  /** What our front end reads in it. Peers are given these, so that all speak the same sounds. */
  readonly phonemes: string;
  /** Of the phonemes, without pads. */
  readonly ids: readonly number[];
}

export interface Spoken {
  readonly wholeMs: number;
  /** Until the first samples of speech, silence in front not counted; the same as wholeMs for who gives all at once. */
  readonly firstMs: number;
  /** 24,000 a second. */
  readonly samples: number;
  /** Time to read the text; null for who is given phonemes. */
  readonly phonemesMs: number | null;
}

export interface Speaker {
  readonly name: string;
  readonly pid: number;
  speak(text: SpeakerText): Promise<Spoken>;
}

/** Below this a sample counts as silence: -40 dB of full scale; speech has peaks of -10 to -3 dB. */
export const SPEECH_FROM = 0.01;
