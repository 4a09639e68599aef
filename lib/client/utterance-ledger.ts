/**
 * The order of one turn, without any I/O: which sentences were asked for, which one is being spoken, and what each
 * part from the container means. The container answers strictly in order:
 *
 *   asked --synthesis_start--> speaking --audio*--> --synthesis_complete--> settled
 *   asked or speaking --error--> settled (failed; the session lives on)
 *
 * Anything else breaks the wire and throws.
 */
import { SpeechError } from "../errors.ts";
import { type ContainerMessage, type ContainerPart, readContainerPart } from "../protocol/messages.ts";
import { fromWireError } from "../protocol/wire-errors.ts";
import { fromModelStreamError } from "./model-stream-error.ts";

/** Which sentence an event belongs to. `sentence` counts the turn's `speak` calls from 1. */
interface OfSentence {
  readonly requestId: string;
  readonly sentence: number;
}

export type SpeechEvent =
  | ({ readonly type: "utterance-start" } & OfSentence)
  /** PCM16 little-endian, mono; whole samples only. */
  | ({ readonly type: "audio"; readonly bytes: Uint8Array } & OfSentence)
  | ({
      readonly type: "utterance-complete";
      readonly durationSeconds: number;
      /** Time the container took for it. */
      readonly elapsedMs: number;
    } & OfSentence)
  /** This sentence is not (or not wholly) spoken; the session goes on with the next. */
  | ({ readonly type: "utterance-failed"; readonly error: SpeechError } & OfSentence);

const SAMPLE_BYTES = 2;

export class UtteranceLedger {
  /** Not settled yet, oldest first. */
  readonly #open: OfSentence[] = [];
  #askedCount = 0;
  #speaking = false;
  /** First byte of a sample whose second has not come. */
  #oddByte: number | undefined;
  #audioSeen = false;
  /** The same for the sentence being spoken. */
  #sentenceAudioSeen = false;

  /** True once any audio of the turn has come: from then on a repeat would speak twice. */
  get audioSeen(): boolean {
    return this.#audioSeen;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Number of the oldest sentence that is not settled. */
  get oldestSentence(): number | undefined {
    return this.#open[0]?.sentence;
  }

  /** Enters a sentence; in the order of sending. */
  ask(requestId: string): number {
    this.#askedCount++;
    this.#open.push({ requestId, sentence: this.#askedCount });
    return this.#askedCount;
  }

  /**
   * Reads one whole part.
   * @returns undefined when it says nothing to the caller: an extension, or a single odd byte kept for later.
   * @throws {SpeechError} PROTOCOL_VIOLATION, or what a ModelStreamError stands for.
   */
  take(bytes: Uint8Array): SpeechEvent | undefined {
    const part: ContainerPart = readContainerPart(bytes);
    switch (part.kind) {
      case "audio":
        return this.#audio(part.bytes);
      case "message":
        return this.#message(part.message);
      case "model-stream-error":
        throw fromModelStreamError(part.errorCode, part.message);
      case "unknown":
        return undefined;
    }
  }

  #message(message: ContainerMessage): SpeechEvent | undefined {
    switch (message.type) {
      case "synthesis_start":
        return this.#start(message.request_id);
      case "synthesis_complete": {
        const head = this.#settleHead(message.request_id, "synthesis_complete");
        return {
          type: "utterance-complete",
          ...head,
          durationSeconds: message.total_duration_s,
          elapsedMs: message.elapsed_s * 1_000,
        };
      }
      case "error":
        return this.#fail(message);
      case "synthesis_cancelled":
        throw violation("a synthesis_cancelled that was not asked for");
    }
  }

  #start(requestId: string): SpeechEvent {
    const head = this.#open[0];
    if (head?.requestId !== requestId) throw this.#outOfOrder("synthesis_start", requestId);
    if (this.#speaking) throw violation(`a second synthesis_start for sentence ${head.sentence}`);
    this.#speaking = true;
    this.#sentenceAudioSeen = false;
    return { type: "utterance-start", ...head };
  }

  #audio(bytes: Uint8Array): SpeechEvent | undefined {
    const head = this.#open[0];
    if (!head || !this.#speaking) throw violation("audio outside an utterance");
    const whole = this.#wholeSamples(bytes);
    if (whole.length === 0) return undefined;
    this.#audioSeen = true;
    this.#sentenceAudioSeen = true;
    return { type: "audio", ...head, bytes: whole };
  }

  /** Frames may be cut inside a sample: an odd byte waits for the next frame. Copies only then. */
  #wholeSamples(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    const carried = this.#oddByte;
    const totalBytes = bytes.length + (carried === undefined ? 0 : 1);
    const wholeBytes = totalBytes - (totalBytes % SAMPLE_BYTES);
    this.#oddByte = wholeBytes < totalBytes ? bytes[bytes.length - 1] : undefined;
    if (carried === undefined) return bytes.subarray(0, wholeBytes);
    const joined = new Uint8Array(wholeBytes);
    if (wholeBytes > 0) {
      joined[0] = carried;
      joined.set(bytes.subarray(0, wholeBytes - 1), 1);
    }
    return joined;
  }

  #settleHead(requestId: string, type: string): OfSentence {
    const head = this.#open[0];
    if (head?.requestId !== requestId || !this.#speaking) throw this.#outOfOrder(type, requestId);
    if (this.#oddByte !== undefined) throw violation(`half a sample at the end of sentence ${head.sentence}`);
    this.#open.shift();
    this.#speaking = false;
    return head;
  }

  /**
   * A refusal may overtake: a container may turn down a sentence that waits while another is being spoken. Without
   * an id (it could not be read) the oldest one is meant, since answers keep the order.
   */
  #fail(message: Extract<ContainerMessage, { type: "error" }>): SpeechEvent {
    const { request_id: requestId } = message;
    const index = requestId === "" ? 0 : this.#open.findIndex((entry) => entry.requestId === requestId);
    const entry = this.#open[index];
    if (!entry) throw this.#outOfOrder("error", requestId);
    this.#open.splice(index, 1);
    const wasSpeaking = index === 0 && this.#speaking;
    if (wasSpeaking) {
      this.#speaking = false;
      this.#oddByte = undefined;
    }
    const error = fromWireError(message);
    const again = error.retryable && !(wasSpeaking && this.#sentenceAudioSeen);
    const details = { ...error.details, sentence: entry.sentence };
    return {
      type: "utterance-failed",
      ...entry,
      error: new SpeechError(error.code, error.message, { retryable: again, details }),
    };
  }

  #outOfOrder(type: string, requestId: string): SpeechError {
    const entry = this.#open.find((open) => open.requestId === requestId);
    const subject = entry ? `sentence ${entry.sentence}` : "a request id that is not open";
    return violation(`${type} for ${subject}, expected ${this.#expected()}`);
  }

  #expected(): string {
    const head = this.#open[0];
    if (!head) return "nothing";
    return this.#speaking
      ? `audio or synthesis_complete for sentence ${head.sentence}`
      : `synthesis_start for sentence ${head.sentence}`;
  }
}

function violation(what: string): SpeechError {
  return new SpeechError("PROTOCOL_VIOLATION", `the container broke the wire protocol: ${what}`);
}
