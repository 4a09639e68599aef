/**
 * Speaks a list of texts by several engines in turn, one text at a time: whatever else the machine does meets all of them
 * alike. The order rotates, so that nobody always follows the same one.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Speaker, SpeakerText, Spoken } from "./speaker.ts";

export interface Measurement extends Spoken {
  readonly speaker: string;
  /** Index in the list of texts. */
  readonly clip: number;
  readonly round: number;
}

export interface EngineTrialOptions {
  readonly speakers: readonly Speaker[];
  readonly texts: readonly SpeakerText[];
  /** Times that each speaks each text. */
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** ONNX Runtime's threads spin for a while after a run before they sleep; the next engine is to have the cores. */
const REST_MS = 30;

export async function runEngineTrial(options: EngineTrialOptions): Promise<Measurement[]> {
  const { speakers, texts, rounds, signal, onProgress } = options;
  const measurements: Measurement[] = [];
  const total = (rounds * texts.length + 1) * speakers.length;
  let done = 0;
  const speak = async (speaker: Speaker, text: SpeakerText): Promise<Spoken> => {
    signal.throwIfAborted();
    const spoken = await speaker.speak(text);
    onProgress(++done, total);
    await delay(REST_MS, undefined, { signal });
    return spoken;
  };
  // Not counted: code and memory are touched for the first time.
  for (const speaker of speakers) await speak(speaker, texts[texts.length >> 1]!);
  for (let round = 0; round < rounds; round++) {
    for (const [clip, text] of texts.entries()) {
      for (let turn = 0; turn < speakers.length; turn++) {
        const speaker = speakers[(turn + clip + round) % speakers.length]!;
        measurements.push({ speaker: speaker.name, clip, round, ...(await speak(speaker, text)) });
      }
    }
  }
  return measurements;
}
