/**
 * The readable half of an HTTP/2 stream, read so that two things hold which Node's own iteration does not give:
 * an END_STREAM is told from every other end, and an answer that came completely is delivered completely, however
 * late it is read and whatever becomes of the connection meanwhile.
 */
import http2 from "node:http2";
import { SpeechError } from "../../errors.ts";
import { networkError } from "../network-error.ts";

/** Bytes held here before reading stops; HTTP/2's window bounds what may wait behind. */
const BUFFER_MAX_BYTES = 64 * 1024;

export class Http2Answer {
  readonly #stream: http2.ClientHttp2Stream;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #endedWell = false;
  #over = false;
  #news = Promise.withResolvers<void>();

  constructor(stream: http2.ClientHttp2Stream) {
    this.#stream = stream;
    // Node ends the readable side in the same way for END_STREAM, for RST_STREAM(NO_ERROR or CANCEL) and for a
    // closed socket; only in the first case is the stream not yet closed at that moment. (node
    // lib/internal/http2/core.js, onStreamRead and onStreamClose; seen with Node 24.21.)
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      if (chunk === null && !stream.closed && !stream.destroyed) {
        this.#endedWell = true;
        // Nothing more can come: what Node still holds (at most the window) moves here, out of a socket's reach.
        stream.resume();
      }
      return push(chunk, encoding);
    };
    stream.on("data", (chunk: Uint8Array) => {
      this.#queue.push(chunk);
      this.#queuedBytes += chunk.length;
      if (this.#queuedBytes >= BUFFER_MAX_BYTES && !this.#endedWell) stream.pause();
      this.#news.resolve();
    });
    for (const event of ["end", "close"]) stream.on(event, () => this.#finish());
  }

  /** True once the peer has set END_STREAM. */
  get endedWell(): boolean {
    return this.#endedWell;
  }

  /** Iterate once. Also returns when the stream is cut: ask `endedWell`. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    while (true) {
      const chunk = this.#queue.shift();
      if (chunk) {
        this.#queuedBytes -= chunk.length;
        if (this.#stream.isPaused() && this.#queuedBytes < BUFFER_MAX_BYTES / 2) this.#stream.resume();
        yield chunk;
      } else if (this.#over) {
        return;
      } else {
        this.#news = Promise.withResolvers();
        await this.#news.promise;
      }
    }
  }

  /** Forgets what was not read: the caller wants no more of it. */
  drop(): void {
    this.#queue.length = 0;
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#news.resolve();
  }
}

/** Why a stream is over that did not end well. The codes are those of RFC 9113, section 7. */
export function cutShort(stream: http2.ClientHttp2Stream, host: string, cause?: unknown): Error {
  const { rstCode } = stream;
  const options = { ...(cause !== undefined && { cause }), details: { http2Code: rstCode } };
  if (rstCode === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM) {
    return new SpeechError("THROTTLED", `${host} asks for fewer streams; try again after a pause`, options);
  }
  if (rstCode === http2.constants.NGHTTP2_REFUSED_STREAM) {
    return new SpeechError("TRANSPORT_FAILED", `${host} refused the stream before serving it`, options);
  }
  if (cause !== undefined && (cause as { code?: unknown }).code !== "ERR_HTTP2_STREAM_ERROR") {
    return networkError(cause, host);
  }
  const words = `${host} broke off the stream before its end (HTTP/2 code ${rstCode})`;
  return new SpeechError("TRANSPORT_FAILED", words, options);
}
