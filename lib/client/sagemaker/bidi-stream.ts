/**
 * One call of SageMaker's InvokeEndpointWithBidirectionalStream: parts in, parts out, over HTTP/2, each part sent
 * as a signed event. It is our own because a client built on the SDK's runtime ends cleanly when a connection is
 * cut (silent truncation) and buffers without back-pressure.
 *
 * The rule of this file: the answer has ended well only when the peer set END_STREAM on a 200 answer without an
 * exception event. Whatever else ends it throws: reset, GOAWAY, closed socket, silence, cut event.
 */
import http2 from "node:http2";
import type { Duplex } from "node:stream";
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from "@smithy/types";
import { SpeechError } from "../../errors.ts";
import { SESSION_LIMIT_MS } from "../../protocol/limits.ts";
import { networkError } from "../network-error.ts";
import { USER_AGENT } from "../user-agent.ts";
import type { SpeechEndpoint } from "./endpoint.ts";
import {
  decodeServiceEvent,
  EVENT_STREAM_CONTENT_TYPE,
  encodePayloadPart,
  FRAME_MAX_BYTES_DEFAULT,
  FrameReader,
  type PayloadPart,
} from "./event-stream.ts";
import { type ConnectionLimits, Http2Connection, type TlsOptions } from "./http2-connection.ts";
import { type EventSigner, RequestSigner } from "./request-signer.ts";
import { httpFailure, serviceError } from "./service-errors.ts";

export interface BidiLimits extends ConnectionLimits {
  /** Silence of both sides after which the stream counts as forgotten. Above SageMaker's 30 minutes. */
  readonly idleTimeoutMs: number;
  /** Largest event taken. */
  readonly frameMaxBytes: number;
}

/** 256 KiB is 5.4 s of speech (48,000 bytes a second): enough for any round trip, little enough to hold. */
export const BIDI_LIMITS_DEFAULT: BidiLimits = {
  connectTimeoutMs: 10_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 20_000,
  windowBytes: 256 * 1024,
  idleTimeoutMs: SESSION_LIMIT_MS + 60_000,
  frameMaxBytes: FRAME_MAX_BYTES_DEFAULT,
};

export interface BidiStreamOptions {
  readonly endpoint: SpeechEndpoint;
  /** Resolved once: every event's signature chains from the request's. */
  readonly credentials: AwsCredentialIdentity | AwsCredentialIdentityProvider;
  /** Aborting destroys the stream with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly targetVariant?: string;
  readonly modelInvocationPath?: string;
  readonly modelQueryString?: string;
  readonly tls?: TlsOptions;
  readonly limits?: Partial<BidiLimits>;
  readonly createConnection?: () => Duplex;
}

export interface BidiAnswer {
  readonly variant?: string;
  readonly awsRequestId?: string;
}

/** Longest body read of an answer that is an error. */
const ERROR_BODY_MAX_BYTES = 64 * 1024;

export class BidiStream implements AsyncIterable<PayloadPart> {
  /** The answer's head. It may come only with the first part: send before you await it. */
  readonly opened: Promise<BidiAnswer>;
  readonly #limits: BidiLimits;
  readonly #options: BidiStreamOptions;
  readonly #idle: NodeJS.Timeout;
  readonly #requested = Promise.withResolvers<{ stream: http2.ClientHttp2Stream; signer: EventSigner }>();
  #connection: Http2Connection | undefined;
  #stream: http2.ClientHttp2Stream | undefined;
  #tail: Promise<unknown>;
  #endedWell = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(options: BidiStreamOptions) {
    this.#options = options;
    this.#limits = { ...BIDI_LIMITS_DEFAULT, ...options.limits };
    this.#idle = setTimeout(() => {
      const words = `nothing was sent or received for ${this.#limits.idleTimeoutMs} ms`;
      this.#fail(new SpeechError("TRANSPORT_FAILED", `the stream is closed: ${words}`));
    }, this.#limits.idleTimeoutMs);
    this.#idle.unref();
    this.#tail = this.#requested.promise;
    this.opened = this.#start();
    // A caller who only sends or only iterates learns of the failure there.
    for (const promise of [this.#tail, this.opened]) promise.catch(() => {});
  }

  /** Resolves when HTTP/2's window took the part: awaiting it is the back-pressure. Order is kept. */
  send(part: PayloadPart): Promise<void> {
    return this.#enqueue(async ({ stream, signer }) => {
      const frame = await signer.wrap(encodePayloadPart(part));
      await new Promise<void>((resolve, reject) => {
        stream.write(frame, (error) => (error ? reject(error) : resolve()));
      });
    });
  }

  /** Half-close: the signed empty event, then END_STREAM. The answer goes on. Best after it is drained. */
  end(): Promise<void> {
    return this.#enqueue(async ({ stream, signer }) => {
      const frame = await signer.wrap(new Uint8Array());
      await new Promise<void>((resolve, reject) => {
        stream.once("error", reject);
        stream.once("close", resolve);
        stream.end(frame, resolve);
      });
    });
  }

  /** Both ways, now: the peer sees a cancelled stream, the reader gets `reason`. */
  destroy(reason: unknown): void {
    this.#fail(reason);
  }

  /** Iterate once. Leaving early cancels the call. */
  async *[Symbol.asyncIterator](): AsyncGenerator<PayloadPart, void, undefined> {
    await this.opened;
    const stream = this.#stream!;
    const reader = new FrameReader(this.#limits.frameMaxBytes);
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        this.#idle.refresh();
        for (const frame of reader.feed(chunk)) {
          const event = decodeServiceEvent(frame);
          if (event.kind === "part") yield event.part;
          if (event.kind === "exception") {
            throw serviceError({ ...event, endpointName: this.#options.endpoint.endpointName });
          }
        }
      }
      if (!this.#endedWell) throw this.#cutShort(stream);
      reader.end();
      this.#release(http2.constants.NGHTTP2_NO_ERROR);
    } catch (cause) {
      this.#fail(networkError(cause, this.#options.endpoint.bidiUrl.host));
      throw this.#failure?.reason;
    } finally {
      this.#fail(new SpeechError("TRANSPORT_FAILED", "the stream's reader has left"));
    }
  }

  async #start(): Promise<BidiAnswer> {
    const { endpoint, signal, credentials } = this.#options;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener("abort", this.#onAbort, { once: true });
      const signer = await RequestSigner.create({ region: endpoint.region, credentials });
      const headers = await signer.signRequest({ url: endpoint.bidiUrl, headers: this.#requestHeaders() });
      if (this.#failure) throw this.#failure.reason;
      const stream = this.#request(headers);
      const answer = this.#answer(stream);
      this.#requested.resolve({ stream, signer: signer.eventChain(headers) });
      return await answer;
    } catch (cause) {
      this.#fail(networkError(cause, endpoint.bidiUrl.host));
      this.#requested.reject(this.#failure?.reason);
      throw this.#failure?.reason;
    }
  }

  #requestHeaders(): Record<string, string> {
    const { targetVariant, modelInvocationPath, modelQueryString } = this.#options;
    return {
      "content-type": EVENT_STREAM_CONTENT_TYPE,
      "user-agent": USER_AGENT,
      ...(targetVariant !== undefined && { "x-amzn-sagemaker-target-variant": targetVariant }),
      ...(modelInvocationPath !== undefined && {
        "x-amzn-sagemaker-model-invocation-path": modelInvocationPath,
      }),
      ...(modelQueryString !== undefined && { "x-amzn-sagemaker-model-query-string": modelQueryString }),
    };
  }

  #request(signed: Record<string, string>): http2.ClientHttp2Stream {
    const { endpoint, tls, createConnection } = this.#options;
    this.#connection = new Http2Connection(
      {
        url: endpoint.bidiUrl,
        ...this.#limits,
        ...(tls && { tls }),
        ...(createConnection && { createConnection }),
      },
      (error) => this.#fail(error),
    );
    const { host, ...headers } = signed;
    const stream = this.#connection.request({
      ":method": "POST",
      ":path": endpoint.bidiUrl.pathname,
      ":authority": host,
      ...headers,
    });
    this.#stream = stream;
    // Node ends the readable side in the same way for END_STREAM, RST_STREAM(NO_ERROR or CANCEL) and a closed
    // socket; only in the first case is the stream not yet closed at that moment. (node lib/internal/http2/core.js,
    // onStreamRead and onStreamClose; seen with Node 24.21.)
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      if (chunk === null && !stream.closed && !stream.destroyed) this.#endedWell = true;
      return push(chunk, encoding);
    };
    stream.on("error", (cause) => this.#fail(this.#cutShort(stream, cause)));
    return stream;
  }

  async #answer(stream: http2.ClientHttp2Stream): Promise<BidiAnswer> {
    const { endpointName } = this.#options.endpoint;
    const head = await new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>(
      (resolve, reject) => {
        stream.once("response", resolve);
        stream.once("close", () => reject(this.#failure?.reason ?? this.#cutShort(stream)));
      },
    );
    const header = (name: string): string | undefined => {
      const value = head[name];
      return typeof value === "string" ? value : undefined;
    };
    const httpStatus = head[":status"] ?? 0;
    if (httpStatus !== 200) {
      throw serviceError(httpFailure(httpStatus, header, await errorBody(stream), endpointName));
    }
    const contentType = header("content-type");
    if (contentType !== undefined && !contentType.startsWith(EVENT_STREAM_CONTENT_TYPE)) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `${this.#options.endpoint.bidiUrl.host} answered with "${contentType.slice(0, 60)}", expected an event stream`,
      );
    }
    const variant = header("x-amzn-invoked-production-variant");
    const awsRequestId = header("x-amzn-requestid");
    return { ...(variant !== undefined && { variant }), ...(awsRequestId !== undefined && { awsRequestId }) };
  }

  #enqueue(
    write: (open: { stream: http2.ClientHttp2Stream; signer: EventSigner }) => Promise<void>,
  ): Promise<void> {
    const done = this.#tail.then(async () => {
      try {
        if (this.#failure) throw this.#failure.reason;
        const open = await this.#requested.promise;
        if (!open.stream.writable) throw this.#cutShort(open.stream);
        await write(open);
        this.#idle.refresh();
      } catch (cause) {
        throw this.#failure?.reason ?? networkError(cause, this.#options.endpoint.bidiUrl.host);
      }
    });
    this.#tail = done;
    done.catch(() => {});
    return done;
  }

  readonly #onAbort = (): void => this.#fail(this.#options.signal?.reason);

  /** Why a stream is over that did not end well. The codes are those of RFC 9113, section 7. */
  #cutShort(stream: http2.ClientHttp2Stream, cause?: unknown): Error {
    const { host } = this.#options.endpoint.bidiUrl;
    const { rstCode } = stream;
    const options = { ...(cause !== undefined && { cause }), details: { http2Code: rstCode } };
    if (rstCode === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      return new SpeechError("THROTTLED", `${host} asks for fewer streams; try again after a pause`, options);
    }
    if (rstCode === http2.constants.NGHTTP2_REFUSED_STREAM) {
      return new SpeechError(
        "TRANSPORT_FAILED",
        `${host} refused the stream before serving it; try again`,
        options,
      );
    }
    if (cause !== undefined && (cause as { code?: unknown }).code !== "ERR_HTTP2_STREAM_ERROR") {
      return networkError(cause, host);
    }
    const words = `${host} broke off the stream before its end (HTTP/2 code ${rstCode})`;
    return new SpeechError("TRANSPORT_FAILED", words, options);
  }

  /** The first reason counts; what follows from it is silence. */
  #fail(reason: unknown): void {
    if (this.#failure) return;
    this.#failure = { reason };
    this.#release(http2.constants.NGHTTP2_CANCEL);
  }

  #release(code: number): void {
    clearTimeout(this.#idle);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#failure ??= { reason: new SpeechError("TRANSPORT_FAILED", "the service has ended the stream") };
    const stream = this.#stream;
    if (stream && !stream.destroyed) {
      stream.close(code);
      // A pending stream never emits `close` by itself; destroying also wakes writers that wait for the window.
      const { reason } = this.#failure;
      if (code !== http2.constants.NGHTTP2_NO_ERROR) {
        stream.destroy(reason instanceof Error ? reason : new Error("cancelled"));
      }
    }
    this.#connection?.close();
  }
}

async function errorBody(stream: http2.ClientHttp2Stream): Promise<string> {
  const chunks: Uint8Array[] = [];
  let totalBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      totalBytes += chunk.length;
      if (totalBytes > ERROR_BODY_MAX_BYTES) break;
    }
  } catch {
    // The status says enough; a peer may reset right after its answer.
  }
  return Buffer.concat(chunks).toString("utf8");
}
