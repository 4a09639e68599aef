/**
 * The words in which the parts of a turn talk to each other. A turn is one prompt and its answer; a mode (bidi,
 * batch, batch-stream) only decides when its text is handed to the speaker.
 */

import type { AgentEvent, AgentMode } from "../../lib/protocol/agent-events.ts";
import type { SpeakableOptions } from "../../lib/text/speakable.ts";

export interface TurnRequest {
  /** Names the turn in every event, log line and synthesis request of it. */
  readonly requestId: string;
  readonly mode: AgentMode;
  readonly prompt: string;
  readonly voice: string;
  readonly speed: number;
  readonly endpointName: string;
  /** How the answer becomes words. The voice tells the language. */
  readonly wording: Pick<SpeakableOptions, "normalize" | "lexicon">;
}

/** An agent event whose audio is still bytes: base64 is made only for a caller who cannot take them. */
export type TurnEvent =
  | Exclude<AgentEvent, { type: "audio_chunk" }>
  | { readonly type: "audio_chunk"; readonly seq: number; readonly pcm: Uint8Array };

/** Where a turn's audio comes from. Sentences go in, PCM16 little-endian mono at 24 kHz comes out, in order. */
export interface SpokenAnswer {
  /**
   * Hands over one sentence worth speaking; it resolves when the transport took it. Sentences are numbered from 1
   * in the order of these calls.
   */
  say(sentence: string): Promise<void>;
  /** No more sentences. `audio` ends after the last one's; when none was said, nothing stays open. */
  finish(): Promise<void>;
  /** Iterate once. @throws {SpeechError} whose message names the sentence that was not spoken. */
  readonly audio: AsyncIterable<Uint8Array>;
  /** Both ways, now. Safe to call at any time, and again. */
  destroy(reason: Error): void;
}

export interface Speech {
  /** Starts to connect at once, so that it overlaps the language model's thinking. Never throws: `say` and `audio` do. */
  open(request: TurnRequest): SpokenAnswer;
  /** One synthesis that is not streamed: resolves with all the audio when all of it is there. */
  speakWhole(text: string, request: TurnRequest, signal: AbortSignal): Promise<Uint8Array>;
}

/** When a sentence that is not finished is spoken all the same. 0 = never; so by default. */
export interface TurnHaste {
  /** The first piece of the answer may end at a clause once its sentence is this long. */
  readonly firstPieceChars: number;
  /** A finished clause is spoken after so long a silence of the language model. */
  readonly stallMs: number;
}

/** What a mode needs to run. */
export interface TurnParts {
  readonly request: TurnRequest;
  readonly speech: Speech;
  readonly haste?: TurnHaste;
  /** The language model's answer, piece by piece as it comes; the call starts it. */
  textDeltas(signal: AbortSignal): AsyncIterable<string>;
}
