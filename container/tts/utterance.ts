/**
 * One text, spoken: split into sentences, each window of them synthesized in its own turn, changed to the rate asked for, and given out in
 * slices. A paragraph's first audio so comes as soon as its first sentence's. The chunker is the one the agent
 * uses, so what comes as single sentences is not split differently here.
 */
import { setImmediate as nextLoop } from "node:timers/promises";
import { StreamingResampler } from "../../lib/audio/resample.ts";
import type { AudioSegment, Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { SAMPLE_RATE_HZ } from "../../lib/protocol/limits.ts";
import { languageOfVoice } from "../../lib/text/language.ts";
import type { Lexicon } from "../../lib/text/lexicon.ts";
import { IncrementalSentenceChunker } from "../../lib/text/sentence-chunker.ts";
import { toSpeakableText } from "../../lib/text/speakable.ts";
import type { Ticket } from "./admission.ts";
import type { Clock } from "./clock.ts";
import type { PlayoutClock } from "./playout-clock.ts";
import { readAhead } from "./read-ahead.ts";

/**
 * Longest slice: 6,000 samples, at 24 kHz 250 ms or 12,000 bytes of PCM16. It holds nothing back (a segment leaves at
 * once, in as many slices as it needs), but bounds what one step of the event loop does, and lets a slice in its
 * signed event fit one HTTP/2 frame of 16,384 bytes (RFC 9113, SETTINGS_MAX_FRAME_SIZE) on SageMaker's link.
 */
export const SLICE_MAX_SAMPLES = 6_000;

/** Audio of one sentence that may lie unread: as long as the longest that 510 tokens give, about 30 s. */
const AHEAD_MAX_SAMPLES = 30 * SAMPLE_RATE_HZ;

export interface UtteranceOptions {
  readonly text: string;
  readonly voice: string;
  readonly speed: number;
  readonly sampleRateHz: number;
  /** false: the words are said as they are written. @default true */
  readonly normalize?: boolean | undefined;
  readonly lexicon?: Lexicon | undefined;
  /** false where nothing is heard before all of it is there (lib/kokoro/synthesizer.ts). */
  readonly windows?: boolean | undefined;
  readonly synthesizer: Synthesizer;
  readonly ticket: Ticket;
  /** Of the listener, who may hear several utterances one after the other. */
  readonly playout: PlayoutClock;
  readonly clock: Clock;
}

export class Utterance {
  /** Samples given out so far, at the rate asked for. */
  samples = 0;
  /** Time the model needed so far. */
  inferenceMs = 0;
  /** Moment of the first slice, by the steady clock. */
  firstAudioMs: number | undefined;
  readonly #options: UtteranceOptions;

  constructor(options: UtteranceOptions) {
    this.#options = options;
  }

  get audioSeconds(): number {
    return this.samples / this.#options.sampleRateHz;
  }

  /**
   * float32 slices of at most SLICE_MAX_SAMPLES, in order; no text to speak, no slices. Iterate once.
   * @param signal stops the work at once and rejects with its reason.
   * @throws {SpeechError} SYNTHESIS_FAILED and what else the synthesizer throws.
   */
  async *slices(signal: AbortSignal): AsyncGenerator<Float32Array> {
    const { sampleRateHz } = this.#options;
    this.#options.playout.begin(this.#options.clock.steadyMs());
    const resampler = new StreamingResampler(SAMPLE_RATE_HZ, sampleRateHz);
    const inputSamples = Math.floor(SLICE_MAX_SAMPLES * Math.min(1, SAMPLE_RATE_HZ / sampleRateHz));
    for (const sentence of spokenSentences(this.#options)) {
      for await (const { samples, inferenceMs } of this.#segments(sentence, signal)) {
        this.inferenceMs += inferenceMs;
        for (let at = 0; at < samples.length; at += inputSamples) {
          yield* this.#give(resampler.push(samples.subarray(at, at + inputSamples)), signal);
        }
      }
    }
    yield* this.#give(resampler.flush(), signal);
  }

  #segments(sentence: string, signal: AbortSignal): AsyncGenerator<AudioSegment> {
    return readAhead(this.#inTurn(sentence, signal), {
      sizeOf: (segment) => segment.samples.length,
      aheadMax: AHEAD_MAX_SAMPLES,
      signal,
    });
  }

  async *#inTurn(text: string, signal: AbortSignal): AsyncGenerator<AudioSegment> {
    const { synthesizer, ticket, playout, clock, voice, speed, windows } = this.#options;
    const aheadMs = () => playout.aheadMs(clock.steadyMs());
    const segments = synthesizer.synthesize({ text, voice, speed, windows, aheadMs }, signal);
    const reader = segments[Symbol.asyncIterator]();
    try {
      for (;;) {
        const endTurn = await ticket.turn(playout.deadlineMs(), signal);
        const next = await reader.next().finally(endTurn);
        if (next.done) return;
        playout.played((next.value.samples.length / SAMPLE_RATE_HZ) * 1000, clock.steadyMs());
        yield next.value;
      }
    } finally {
      await reader.return?.();
    }
  }

  async *#give(slice: Float32Array, signal: AbortSignal): AsyncGenerator<Float32Array> {
    if (slice.length === 0) return;
    const nowMs = this.#options.clock.steadyMs();
    this.firstAudioMs ??= nowMs;
    this.samples += slice.length;
    yield slice;
    // A long segment is many slices: others (a /ping, another session) get their turn on the loop between two.
    await nextLoop();
    signal.throwIfAborted();
  }
}

/**
 * Sentences as they are said; a piece of which nothing is heard would only cost a turn. Each is put in words when its
 * turn comes: that of a whole text at once would hold the event loop up.
 */
function* spokenSentences({ text, voice, normalize, lexicon }: UtteranceOptions): Generator<string> {
  const chunker = new IncrementalSentenceChunker();
  const sentences = chunker.feed(text);
  const rest = chunker.flush();
  const wording = { language: languageOfVoice(voice), normalize, lexicon };
  for (const sentence of rest === null ? sentences : [...sentences, rest]) {
    const words = toSpeakableText(sentence, wording);
    if (words !== "") yield words;
  }
}
