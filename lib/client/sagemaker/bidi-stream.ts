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
import { ERROR_BODY_MAX_BYTES } from "../http-error.ts";
import { networkError } from "../network-error.ts";
import { USER_AGENT } from "../user-agent.ts";
import { BIDI_LIMITS_DEFAULT, type BidiLimits } from "./bidi-limits.ts";
import type { SpeechEndpoint } from "./endpoint.ts";
import {
  decodeServiceEvent,
  EVENT_STREAM_CONTENT_TYPE,
  encodePayloadPart,
  FrameReader,
  type PayloadPart,
} from "./event-stream.ts";
import { cutShort, Http2Answer } from "./http2-answer.ts";
import { Http2Connection, type TlsOptions } from "./http2-connection.ts";
import { type EventSigner, RequestSigner } from "./request-signer.ts";
import { httpFailure, serviceError } from "./service-errors.ts";

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

export class BidiStream implements AsyncIterable<PayloadPart> {
  /** The answer's head. It may come only with the first part: send before you await it. */
  readonly opened: Promise<BidiAnswer>;
  readonly #limits: BidiLimits;
  readonly #options: BidiStreamOptions;
  readonly #idle: NodeJS.Timeout;
  /** Rejects with the failure, should there be one. */
  readonly #broken = Promise.withResolvers<never>();
  readonly #requested = Promise.withResolvers<{ stream: http2.ClientHttp2Stream; signer: EventSigner }>();
  #connection: Http2Connection | undefined;
  #stream: http2.ClientHttp2Stream | undefined;
  #answer: Http2Answer | undefined;
  #tail: Promise<unknown>;
  #failure: { readonly reason: unknown } | undefined;
  #left = false;
  #abandonWrite: (reason: unknown) => void = () => {};

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
    for (const promise of [this.#tail, this.opened, this.#broken.promise]) promise.catch(() => {});
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
    this.#left = true;
    this.#answer?.drop();
  }

  /** Iterate once. Leaving early cancels the call. */
  async *[Symbol.asyncIterator](): AsyncGenerator<PayloadPart, void, undefined> {
    await this.opened;
    const answer = this.#answer!;
    const reader = new FrameReader(this.#limits.frameMaxBytes);
    try {
      for await (const chunk of answer.chunks()) {
        this.#touch();
        for (const frame of reader.feed(chunk)) {
          const event = decodeServiceEvent(frame);
          if (event.kind === "exception") {
            throw serviceError({ ...event, endpointName: this.#options.endpoint.endpointName });
          }
          if (event.kind === "part") yield event.part;
          // The caller may have left, or the stream been aborted, while the part was used.
          if (this.#left) throw this.#failure?.reason;
        }
      }
      if (this.#failure) throw this.#failure.reason;
      if (!answer.endedWell) throw cutShort(this.#stream!, this.#host);
      reader.end();
      this.#release(http2.constants.NGHTTP2_NO_ERROR);
    } catch (cause) {
      this.#fail(networkError(cause, this.#host));
      throw this.#failure?.reason;
    } finally {
      this.destroy(new SpeechError("TRANSPORT_FAILED", "the stream's reader has left"));
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
      const answer = this.#head(stream);
      this.#requested.resolve({ stream, signer: signer.eventChain(headers) });
      return await answer;
    } catch (cause) {
      this.#fail(networkError(cause, endpoint.bidiUrl.host));
      this.#requested.reject(this.#failure?.reason);
      throw this.#failure?.reason;
    }
  }

  /** Whom we talk to, for messages. */
  get #host(): string {
    return this.#options.endpoint.bidiUrl.host;
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
      (error) => this.#lose(error),
    );
    const { host, ...headers } = signed;
    const stream = this.#connection.request({
      ":method": "POST",
      ":path": endpoint.bidiUrl.pathname,
      ":authority": host,
      ...headers,
    });
    this.#stream = stream;
    this.#answer = new Http2Answer(stream);
    stream.on("error", (cause) => this.#lose(cutShort(stream, endpoint.bidiUrl.host, cause)));
    stream.on("close", () => this.#lose(cutShort(stream, endpoint.bidiUrl.host)));
    return stream;
  }

  async #head(stream: http2.ClientHttp2Stream): Promise<BidiAnswer> {
    const { endpointName, bidiUrl } = this.#options.endpoint;
    const response = new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>((resolve) => {
      stream.once("response", resolve);
    });
    const head = await Promise.race([response, this.#broken.promise]);
    const header = (name: string): string | undefined => {
      const value = head[name];
      return typeof value === "string" ? value : undefined;
    };
    const httpStatus = head[":status"] ?? 0;
    if (httpStatus !== 200) {
      throw serviceError(httpFailure(httpStatus, header, await this.#errorBody(), endpointName));
    }
    const contentType = header("content-type");
    if (contentType !== undefined && !contentType.startsWith(EVENT_STREAM_CONTENT_TYPE)) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `${bidiUrl.host} answered with "${contentType.slice(0, 60)}", expected an event stream`,
      );
    }
    const variant = header("x-amzn-invoked-production-variant");
    const awsRequestId = header("x-amzn-requestid");
    return { ...(variant !== undefined && { variant }), ...(awsRequestId !== undefined && { awsRequestId }) };
  }

  async #errorBody(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let totalBytes = 0;
    const timer = setTimeout(() => this.#answer?.drop(), this.#limits.connectTimeoutMs);
    for await (const chunk of this.#answer!.chunks()) {
      chunks.push(chunk);
      totalBytes += chunk.length;
      if (totalBytes > ERROR_BODY_MAX_BYTES) break;
    }
    clearTimeout(timer);
    return Buffer.concat(chunks).toString("utf8");
  }

  #enqueue(
    write: (open: { stream: http2.ClientHttp2Stream; signer: EventSigner }) => Promise<void>,
  ): Promise<void> {
    const done = this.#tail.then(async () => {
      try {
        if (this.#failure) throw this.#failure.reason;
        const open = await this.#requested.promise;
        if (!open.stream.writable) throw cutShort(open.stream, this.#host);
        // A stream destroyed while it still connects never calls its writers back. (A promise of its own for each
        // write: one that lives as long as the stream would keep a trace of every race.)
        const abandoned = Promise.withResolvers<never>();
        this.#abandonWrite = abandoned.reject;
        await Promise.race([write(open), abandoned.promise]);
        this.#touch();
      } catch (cause) {
        const error = networkError(cause, this.#host);
        // A part that was not sent breaks the chain of signatures: nothing can follow it.
        this.#lose(error);
        throw this.#failure?.reason ?? error;
      }
    });
    this.#tail = done;
    done.catch(() => {});
    return done;
  }

  readonly #onAbort = (): void => this.destroy(this.#options.signal?.reason);

  /** A cleared timer would be armed again by this. */
  #touch(): void {
    if (!this.#failure) this.#idle.refresh();
  }

  /** The network's doing. An answer that came completely stays good; only sending is over then. */
  #lose(error: Error): void {
    if (!this.#answer?.endedWell) this.#fail(error);
  }

  /** The first reason counts; what follows from it is silence. */
  #fail(reason: unknown): void {
    if (this.#failure) return;
    this.#failure = { reason };
    this.#broken.reject(reason);
    this.#abandonWrite(reason);
    this.#release(http2.constants.NGHTTP2_CANCEL);
  }

  #release(code: number): void {
    clearTimeout(this.#idle);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#failure ??= { reason: new SpeechError("TRANSPORT_FAILED", "the service has ended the stream") };
    const stream = this.#stream;
    if (stream && !stream.destroyed) {
      stream.close(code);
      // Destroying wakes writers that wait for the window.
      const { reason } = this.#failure;
      stream.destroy(reason instanceof Error ? reason : new Error("the stream was cancelled"));
    }
    this.#connection?.close();
  }
}
