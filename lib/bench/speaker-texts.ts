/** Texts with what our front end reads in them, so that every engine can be given the same sounds. */
import { Phonemizer } from "../kokoro/phonemizer.ts";
import { splitTokens } from "../kokoro/token-splitter.ts";
import { findVoice } from "../kokoro/voices.ts";
import { VOICE_DEFAULT } from "../protocol/limits.ts";
import type { SpeakerText } from "./speaker.ts";

/** @throws {RangeError} for a text that the model does not take in one piece: engines differ in how they cut it. */
export async function readTexts(texts: readonly string[]): Promise<SpeakerText[]> {
  const phonemizer = await Phonemizer.load();
  const voice = findVoice(VOICE_DEFAULT);
  return texts.map((text) => {
    const phonemes = phonemizer.phonemize(text, voice);
    const pieces = splitTokens(phonemes);
    if (pieces.length !== 1) throw new RangeError(`a text for engines is one piece, got ${pieces.length}`);
    return { text, phonemes, ids: pieces[0]! };
  });
}
