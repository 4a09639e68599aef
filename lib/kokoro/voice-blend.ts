/** `af_bella(2)+af_sky(1)`: several voices of one language as one, each with its weight; 1 where none is given. */
import { SpeechError } from "../errors.ts";

/** One voice and its part of the blend; the parts add up to 1. */
export interface VoiceShare {
  readonly name: string;
  readonly share: number;
}

/** More than these cannot be told apart by ear, and each is a file that is read. */
export const BLEND_MAX_VOICES = 8;
const WEIGHT_MAX = 100;
/** A blend is echoed and kept no longer than this. */
const BLEND_MAX_CHARS = 256;

const PART = /^\s*([^\s()+]+)\s*(?:\(\s*(\d+(?:\.\d+)?|\.\d+)\s*\))?\s*$/;

/**
 * A single name is a blend of one; whether its voices exist is not looked at.
 * @throws {SpeechError} UNKNOWN_VOICE when it is not written as a blend is.
 */
export function readBlend(text: string): readonly VoiceShare[] {
  if (!/[+()]/.test(text)) return [{ name: text, share: 1 }];
  // The first letter tells the language (lib/text/language.ts), so nothing may stand before it.
  const isOdd = text.length > BLEND_MAX_CHARS || /^\s/.test(text);
  const parts = isOdd ? [] : text.split("+").map((part) => PART.exec(part));
  const weighted: { name: string; weight: number }[] = [];
  for (const part of parts) {
    const weight = Number(part?.[2] ?? 1);
    if (!part || !(weight > 0 && weight <= WEIGHT_MAX)) throw malformed();
    weighted.push({ name: part[1]!, weight });
  }
  const names = new Set(weighted.map(({ name }) => name));
  if (names.size === 0 || names.size > BLEND_MAX_VOICES || names.size < weighted.length) throw malformed();
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.map(({ name, weight }) => ({ name, share: weight / total }));
}

function malformed(): SpeechError {
  return new SpeechError(
    "UNKNOWN_VOICE",
    `a blend of voices is written like af_bella(2)+af_sky(1): 1-${BLEND_MAX_VOICES} different names with +, each with a weight above 0, at most ${WEIGHT_MAX}, or none`,
  );
}
