/**
 * What both routes share: the engine once it is warm, who may speak, and the checks a request must pass. It knows
 * neither HTTP nor WebSocket.
 */
import { SpeechError } from "../../lib/errors.ts";
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { SAMPLE_RATE_HZ, SPEED_DEFAULT, STALE_AFTER_MS, VOICE_DEFAULT } from "../../lib/protocol/limits.ts";
import type { Lexicon } from "../../lib/text/lexicon.ts";
import { Admission, type Ticket } from "./admission.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { PlayoutClock } from "./playout-clock.ts";
import { Utterance } from "./utterance.ts";

/** The fields that say what to speak, on either route. */
export interface SpeechRequest {
  readonly text: string;
  readonly voice?: string | undefined;
  readonly speed?: number | undefined;
  readonly sample_rate?: number | undefined;
  readonly request_timestamp?: number | undefined;
  readonly normalize?: boolean | undefined;
  readonly lexicon?: Lexicon | undefined;
}

export interface SpeechServiceOptions {
  readonly textMaxChars: number;
  /** Windows computed at once: the engine's workers. */
  readonly turnsAtOnce: number;
  readonly queueMax: number;
  readonly clock: Clock;
  readonly log: Log;
}

export class SpeechService {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly log: Log;
  readonly #textMaxChars: number;
  #synthesizer: Synthesizer | undefined;
  #isClosing = false;

  constructor(options: SpeechServiceOptions) {
    this.admission = new Admission(options.turnsAtOnce, options.queueMax);
    this.clock = options.clock;
    this.log = options.log;
    this.#textMaxChars = options.textMaxChars;
  }

  /** The engine is warm: requests are taken from now on. */
  becomeReady(synthesizer: Synthesizer): void {
    this.#synthesizer = synthesizer;
  }

  /** New requests are refused from now on; those inside go on. */
  beginClosing(): void {
    this.#isClosing = true;
  }

  get isReady(): boolean {
    return this.#synthesizer !== undefined && !this.#isClosing;
  }

  /**
   * May anything new begin?
   * @throws {SpeechError} MODEL_NOT_READY while the model loads and while the container shuts down.
   */
  checkReady(): void {
    this.#warmSynthesizer();
    if (this.#isClosing) {
      throw new SpeechError("MODEL_NOT_READY", "the container is shutting down; try again");
    }
  }

  /**
   * What can be refused before anything is queued.
   * @throws {SpeechError} TEXT_TOO_LONG, UNKNOWN_VOICE, LANGUAGE_NOT_SUPPORTED
   */
  check(request: SpeechRequest): void {
    // UTF-16 units are counted first: the exact count takes time, and can only be smaller.
    if (request.text.length > this.#textMaxChars && countChars(request.text) > this.#textMaxChars) {
      throw new SpeechError(
        "TEXT_TOO_LONG",
        `text must have at most ${this.#textMaxChars} characters, got ${countChars(request.text)}; send it in parts`,
        { details: { maxChars: this.#textMaxChars } },
      );
    }
    this.#warmSynthesizer().checkVoice(request.voice ?? VOICE_DEFAULT);
  }

  /** @throws {SpeechError} REQUEST_STALE when the caller must have given up by now. */
  checkFresh(requestTimestamp: number | undefined): void {
    if (requestTimestamp === undefined) return;
    const sentMs = requestTimestamp > TIMESTAMP_MS_ABOVE ? requestTimestamp : requestTimestamp * 1000;
    const ageMs = this.clock.wallMs() - sentMs;
    if (ageMs <= STALE_AFTER_MS) return;
    throw new SpeechError(
      "REQUEST_STALE",
      `the request is ${Math.round(ageMs / 1000)} s old, more than ${STALE_AFTER_MS / 1000} s; send it again`,
    );
  }

  /** @param windows false where nothing is heard before all of it is there. */
  utterance(request: SpeechRequest, ticket: Ticket, playout: PlayoutClock, windows = true): Utterance {
    return new Utterance({
      windows,
      text: request.text,
      voice: request.voice ?? VOICE_DEFAULT,
      speed: request.speed ?? SPEED_DEFAULT,
      normalize: request.normalize,
      lexicon: request.lexicon,
      sampleRateHz: request.sample_rate ?? SAMPLE_RATE_HZ,
      synthesizer: this.#warmSynthesizer(),
      ticket,
      playout,
      clock: this.clock,
    });
  }

  #warmSynthesizer(): Synthesizer {
    if (this.#synthesizer !== undefined) return this.#synthesizer;
    throw new SpeechError("MODEL_NOT_READY", "the model is still being loaded; try again soon");
  }
}

/** Above this a `request_timestamp` is milliseconds: in seconds it would lie in the year 5138 (lib/protocol/messages.ts). */
const TIMESTAMP_MS_ABOVE = 1e11;

/** Characters as people count them in a limit: code points, not UTF-16 units. */
export function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
