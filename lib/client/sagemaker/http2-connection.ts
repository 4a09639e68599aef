/**
 * One HTTP/2 connection for one stream. It notices what Node does not tell: a peer that accepts and then says
 * nothing (no SETTINGS within the connect timeout), one that vanished without a packet (pings), and a socket closed
 * without an error. Each is told once, to `onFailure`.
 */
import http2 from "node:http2";
import type { Duplex } from "node:stream";
import { SpeechError } from "../../errors.ts";
import { networkError } from "../network-error.ts";

export interface ConnectionLimits {
  /** From the first packet to the peer's HTTP/2 SETTINGS. */
  readonly connectTimeoutMs: number;
  /** How often a ping is sent, and how long its answer may take. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Bytes the peer may send ahead of the reader. */
  readonly windowBytes: number;
}

export interface ConnectionOptions extends ConnectionLimits {
  readonly url: URL;
  readonly tls?: TlsOptions;
  /** Replaces the socket; for connections that are not TCP. */
  readonly createConnection?: () => Duplex;
}

export type TlsOptions = Pick<
  http2.SecureClientSessionOptions,
  "ca" | "servername" | "rejectUnauthorized" | "checkServerIdentity"
>;

/** How long a connection may take to say goodbye before its socket is closed. */
const FAREWELL_MS = 1_000;

export class Http2Connection {
  readonly #session: http2.ClientHttp2Session;
  readonly #peer: string;
  readonly #limits: ConnectionLimits;
  readonly #onFailure: (error: Error) => void;
  #timer: NodeJS.Timeout;
  #connected = false;
  #over = false;

  constructor(options: ConnectionOptions, onFailure: (error: Error) => void) {
    const { url, windowBytes } = options;
    this.#peer = url.host;
    this.#limits = options;
    this.#onFailure = onFailure;
    const session = http2.connect(url.origin, {
      settings: { enablePush: false, initialWindowSize: windowBytes },
      ...options.tls,
      ...(options.createConnection && { createConnection: options.createConnection }),
    });
    this.#session = session;
    this.#timer = setTimeout(() => {
      const words = `${this.#peer} did not answer in HTTP/2 within ${options.connectTimeoutMs} ms`;
      this.#fail(new SpeechError("TRANSPORT_FAILED", `${words}; check host, port and network`));
    }, options.connectTimeoutMs);
    // The window of the connection is a separate number, and stays 64 KiB unless it is raised too.
    session.once("connect", () => {
      this.#connected = true;
      if (!session.destroyed) session.setLocalWindowSize(windowBytes);
    });
    session.once("remoteSettings", () => this.#keepAlive());
    session.on("error", (cause) => this.#fail(networkError(cause, this.#peer)));
    session.on("close", () =>
      this.#fail(new SpeechError("TRANSPORT_FAILED", `${this.#peer} closed the connection`)),
    );
  }

  request(headers: http2.OutgoingHttpHeaders): http2.ClientHttp2Stream {
    return this.#session.request(headers, { endStream: false });
  }

  /** Says goodbye and closes; `onFailure` is not called any more. At once while still connecting. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    if (!this.#connected) {
      this.#session.destroy();
      return;
    }
    this.#session.close();
    const farewell = setTimeout(() => this.#session.destroy(), FAREWELL_MS);
    farewell.unref();
    this.#session.once("close", () => clearTimeout(farewell));
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#onFailure(error);
    this.#session.destroy();
  }

  #keepAlive(): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ping(), this.#limits.pingIntervalMs);
    this.#timer.unref();
  }

  #ping(): void {
    let answered = false;
    this.#timer = setTimeout(() => {
      // Once round the event loop before judging: if it was this process that stood still, the answer lies in the
      // socket and is read first.
      setImmediate(() => {
        if (answered) return;
        const words = `${this.#peer} did not answer a ping within ${this.#limits.pingTimeoutMs} ms`;
        this.#fail(new SpeechError("TRANSPORT_FAILED", `${words}: the connection is dead`));
      });
    }, this.#limits.pingTimeoutMs);
    this.#timer.unref();
    this.#session.ping((error) => {
      answered = true;
      if (!error) this.#keepAlive();
    });
  }
}
