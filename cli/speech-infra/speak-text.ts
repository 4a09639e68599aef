/**
 * A text of any length spoken over one speech session: sentences go out as the text comes in, a few ahead of the
 * one being spoken, and audio goes to its taker as it comes. Nothing grows with the text.
 */
import type { SpeechSession, Utterance } from "../../lib/client/speech-session.ts";
import { SpeechError } from "../../lib/errors.ts";
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { type SpeakableOptions, toSpeakableText } from "../../lib/text/speakable.ts";

export interface SpokenText {
  /** From handing over the first sentence to its first audio; null when nothing was heard. */
  readonly firstAudioMs: number | null;
  readonly audioSeconds: number;
  /** Time the container took for all sentences. */
  readonly synthesisSeconds: number;
  readonly sentences: number;
}

/** Sent and not yet spoken: keeps the container busy, and no sentence waits until it is stale. */
const SENTENCES_AHEAD_MAX = 4;

export interface SpeakTextOptions {
  readonly fragments: AsyncIterable<string>;
  readonly session: SpeechSession;
  readonly utterance?: Utterance;
  /** How the text becomes words. */
  readonly wording?: SpeakableOptions;
  /** PCM16 of the next piece; awaited before more is read. */
  readonly onAudio: (pcm: Uint8Array) => Promise<void>;
  readonly onSentence?: (spoken: { sentences: number; audioSeconds: number }) => void;
  readonly nowMs?: () => number;
}

/** @throws {SpeechError} of the session, or of the first sentence that could not be spoken. */
export async function speakText(options: SpeakTextOptions): Promise<SpokenText> {
  const { session, onAudio, onSentence, nowMs = () => performance.now() } = options;
  const ahead = new Slots(SENTENCES_AHEAD_MAX);
  let sentAtMs: number | undefined;
  let firstAudioMs: number | null = null;
  let audioSeconds = 0;
  let synthesisSeconds = 0;
  let sentences = 0;

  const sending = sendSentences(options, ahead, () => {
    sentAtMs ??= nowMs();
  });
  // A source that fails must end the reading too, with its own error.
  let sourceFailure: unknown;
  const sent = sending.catch((error: unknown) => {
    sourceFailure = error;
    session.cancel();
  });
  try {
    for await (const event of session) {
      if (event.type === "audio") {
        firstAudioMs ??= nowMs() - (sentAtMs ?? nowMs());
        await onAudio(event.bytes);
      } else if (event.type === "utterance-complete") {
        audioSeconds += event.durationSeconds;
        synthesisSeconds += event.elapsedMs / 1000;
        sentences++;
        ahead.release();
        onSentence?.({ sentences, audioSeconds });
      } else if (event.type === "utterance-failed") {
        const { code, message, retryable, details } = event.error;
        throw new SpeechError(code, `sentence ${event.sentence} was not spoken: ${message}`, {
          cause: event.error,
          retryable,
          details,
        });
      }
    }
  } finally {
    ahead.close();
    await sent;
  }
  if (sourceFailure !== undefined) throw sourceFailure;
  return { firstAudioMs, audioSeconds, synthesisSeconds, sentences };
}

async function sendSentences(
  { fragments, session, utterance, wording }: SpeakTextOptions,
  ahead: Slots,
  onSend: () => void,
): Promise<void> {
  const chunker = new IncrementalSentenceChunker();
  const send = async (sentence: string): Promise<boolean> => {
    const words = toSpeakableText(sentence, wording);
    if (words === "") return true;
    if (!(await ahead.take())) return false;
    onSend();
    await session.speak(words, utterance);
    return true;
  };
  for await (const fragment of fragments) {
    for (const sentence of chunker.feed(fragment)) if (!(await send(sentence))) return;
  }
  const rest = chunker.flush();
  if (rest !== null && !(await send(rest))) return;
  session.finish();
}

/** A few places: one waits until one is free, or until nobody will free one any more. */
class Slots {
  #free: number;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(count: number) {
    this.#free = count;
  }

  /** False when closed. */
  async take(): Promise<boolean> {
    while (this.#free === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#closed) return false;
    this.#free--;
    return true;
  }

  release(): void {
    this.#free++;
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }
}
