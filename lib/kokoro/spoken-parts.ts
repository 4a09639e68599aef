/**
 * A text as the engine goes through it: ids of a piece the model can take, or a pause of exact length that the
 * writer asked for (lib/text/speech-marks.ts). What stands between two pauses is read as one.
 */
import { readSpeechMarks, type SpeechSpan } from "../text/speech-marks.ts";
import { splitTokens } from "./token-splitter.ts";

export type SpokenPart = readonly number[] | { readonly pauseMs: number };

/** Of every sample that Kokoro makes. */
const SAMPLE_RATE_HZ = 24_000;

/** @param phonemize reads text and pronunciations; it is given no pause. */
export function toSpokenParts(
  text: string,
  phonemize: (spans: readonly SpeechSpan[]) => string,
): SpokenPart[] {
  const parts: SpokenPart[] = [];
  let spans: SpeechSpan[] = [];
  const read = () => {
    parts.push(...splitTokens(phonemize(spans)));
    spans = [];
  };
  for (const span of readSpeechMarks(text)) {
    if (span.kind !== "pause") {
      spans.push(span);
      continue;
    }
    read();
    if (span.pauseMs > 0) parts.push({ pauseMs: span.pauseMs });
  }
  read();
  return parts;
}

export function isPause(part: SpokenPart): part is { readonly pauseMs: number } {
  return "pauseMs" in part;
}

/** float32[n] of silence, 24,000 Hz. */
export function silence(pauseMs: number): Float32Array<ArrayBuffer> {
  return new Float32Array(Math.round((pauseMs * SAMPLE_RATE_HZ) / 1000));
}
