/**
 * Server-sent events, both ways. The stream may be cut anywhere, also inside a UTF-8 character and between
 * `\r` and `\n`; a reader acts only on the blank line that ends an event (WHATWG HTML, "Server-sent events").
 */
import { SpeechError } from "../errors.ts";

export interface SseEvent {
  /** Lines of `data:` joined by "\n". */
  readonly data: string;
  /** Name of `event:`; undefined for a plain message. */
  readonly event?: string;
}

/** One event as bytes-to-be. `data` must hold no line break: JSON.stringify never leaves one. */
export function encodeSse(data: string): string {
  return `data: ${data}\n\n`;
}

/**
 * Bytes in, events out. Feed chunks as they come; each call gives the events finished by it.
 * Memory is bounded by `eventMaxChars`.
 */
export class SseReader {
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: false });
  readonly #eventMaxChars: number;
  #line: string[] = [];
  #lineChars = 0;
  #data: string[] = [];
  #dataChars = 0;
  #event: string | undefined;
  #lastWasCr = false;

  constructor(eventMaxChars = 16 * 1024 * 1024) {
    this.#eventMaxChars = eventMaxChars;
  }

  /** @throws {SpeechError} PROTOCOL_VIOLATION when one event is longer than the limit. */
  feed(chunk: Uint8Array): SseEvent[] {
    return this.#take(this.#utf8.decode(chunk, { stream: true }));
  }

  #take(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let start = 0;
    if (this.#lastWasCr && text.length > 0) {
      if (text[0] === "\n") start = 1;
      this.#lastWasCr = false;
    }
    // Both searches go forward only, so that a chunk is read once however many lines it holds.
    let lf = text.indexOf("\n", start);
    let cr = text.indexOf("\r", start);
    while (lf !== -1 || cr !== -1) {
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
      this.#grow(text.slice(start, end));
      const event = this.#endLine();
      if (event) events.push(event);
      start = end + 1;
      if (text[end] === "\r") {
        if (start === text.length) this.#lastWasCr = true;
        else if (text[start] === "\n") start++;
      }
      if (lf !== -1 && lf < start) lf = text.indexOf("\n", start);
      if (cr !== -1 && cr < start) cr = text.indexOf("\r", start);
    }
    this.#grow(text.slice(start));
    return events;
  }

  #grow(part: string): void {
    if (part === "") return;
    this.#lineChars += part.length;
    if (this.#lineChars + this.#dataChars > this.#eventMaxChars) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `an SSE event is longer than ${this.#eventMaxChars} characters`,
      );
    }
    this.#line.push(part);
  }

  #endLine(): SseEvent | undefined {
    const line = this.#line.join("");
    this.#line = [];
    this.#lineChars = 0;
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      // Its line break counts: lines without text would else be free.
      this.#dataChars += value.length + 1;
    } else if (field === "event") this.#event = value;
    return undefined; // comments (`: keep-alive`), `id` and `retry` mean nothing here
  }

  #dispatch(): SseEvent | undefined {
    const data = this.#data;
    const event = this.#event;
    this.#data = [];
    this.#dataChars = 0;
    this.#event = undefined;
    if (data.length === 0) return undefined;
    return { data: data.join("\n"), ...(event !== undefined && event !== "" && { event }) };
  }
}
