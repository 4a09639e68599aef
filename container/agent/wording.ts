/** A piece of the answer as its voice says it. The container is told to change nothing more of it (`normalize: false`). */
import { languageOfVoice } from "../../lib/text/language.ts";
import { toSpeakableText } from "../../lib/text/speakable.ts";
import type { TurnRequest } from "./turn.ts";

/** "" when nothing of it can be heard. */
export function inWords(sentence: string, { voice, wording }: TurnRequest): string {
  return toSpeakableText(sentence, { ...wording, language: languageOfVoice(voice) });
}
