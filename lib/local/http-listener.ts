/**
 * One port that speaks HTTP/2 and HTTP/1.1, in the clear or over TLS with ALPN, as AWS's own endpoints do. Limits
 * keep one caller's fault from harming another: silent connections are cut, streams and windows are bounded.
 */
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type net from "node:net";
import { TLSSocket } from "node:tls";
import { SpeechError } from "../errors.ts";

export type HttpRequest = http.IncomingMessage | http2.Http2ServerRequest;
export type HttpResponse = http.ServerResponse | http2.Http2ServerResponse;
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** PEM texts. With them the port speaks TLS alone. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface HttpListener {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Ends every connection at once and frees the port. */
  close(): Promise<void>;
}

/** A connection that has not said a request line by then is closed. */
const FIRST_BYTES_TIMEOUT_MS = 10_000;
/** HTTP/2 connections without a stream are closed after this long. */
const IDLE_CONNECTION_MS = 5 * 60_000;
const STREAMS_MAX = 256;
const STREAM_WINDOW_BYTES = 128 * 1024;
const PREFACE = "PRI * HTTP/2.0"; // RFC 9113 section 3.4

const HTTP2_OPTIONS = {
  settings: { maxConcurrentStreams: STREAMS_MAX, initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
  maxSessionMemory: 64, // megabytes; Node's 10 refuses streams when a hundred are busy
} as const;

const HTTP1_OPTIONS = { requestTimeout: 60_000, headersTimeout: 10_000 } as const;
const TLS_OPTIONS = { ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout: FIRST_BYTES_TIMEOUT_MS };

/** @throws {SpeechError} CONFIGURATION when the port is taken or may not be used. */
export async function listenHttp(options: ListenOptions, handler: HttpHandler): Promise<HttpListener> {
  const { server, h2 } = makeServers(options.tls, handler);
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
  });
  h2.on("session", guardSession);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `cannot listen on ${options.host}:${options.port} (${cause.code}); free the port or choose another`;
      reject(new SpeechError("CONFIGURATION", message, { cause }));
    });
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    host: options.host,
    port,
    url: `${options.tls ? "https" : "http"}://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Servers = { server: net.Server; h2: http2.Http2Server };

/**
 * The HTTP/1.1 server owns the port, because its time limits work only on a server that listens itself. Every
 * connection, also a TLS one, is told apart by its first bytes: AWS's Java client speaks HTTP/2 over TLS without
 * ALPN, and the real endpoints take that.
 */
function makeServers(tls: ListenOptions["tls"], handler: HttpHandler): Servers {
  const h2 = http2.createServer(HTTP2_OPTIONS, handler);
  const server = tls
    ? https.createServer({ ...HTTP1_OPTIONS, ...TLS_OPTIONS, ...tls }, handler)
    : http.createServer(HTTP1_OPTIONS, handler);
  server.on("tlsClientError", (_error: Error, socket: net.Socket) => socket.destroy());
  const arrival = tls ? "secureConnection" : "connection";
  const serveHttp1 = server.listeners(arrival)[0] as (socket: net.Socket) => void;
  server.off(arrival, serveHttp1);
  server.on(arrival, (socket: net.Socket) => {
    socket.on("error", () => socket.destroy());
    tellApart(socket, (speaksHttp2) => {
      if (!speaksHttp2) {
        serveHttp1.call(server, socket);
        return;
      }
      // An HTTP/1.1 server's sockets may be half open. An HTTP/2 caller that ends its side has left: the AWS SDK
      // cancels in just this way, and its stream must end at once.
      socket.allowHalfOpen = false;
      // Node's HTTP/2 server turns a TLS socket away that agreed on nothing by ALPN, although it says the preface.
      if (socket instanceof TLSSocket) socket.alpnProtocol = "h2";
      h2.emit("connection", socket);
    });
  });
  return { server, h2 };
}

/** Calls back once the first bytes say which protocol it is; the bytes stay in the socket. */
function tellApart(socket: net.Socket, callback: (speaksHttp2: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), FIRST_BYTES_TIMEOUT_MS);
  let seen: Buffer = Buffer.alloc(0);
  const look = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    seen = Buffer.concat([seen, chunk]);
    const known = seen.subarray(0, PREFACE.length).toString("latin1");
    if (known.length < PREFACE.length && PREFACE.startsWith(known)) return; // may still become either
    clearTimeout(timer);
    socket.off("readable", look);
    socket.unshift(seen);
    callback(known === PREFACE);
  };
  socket.on("readable", look);
  socket.on("close", () => clearTimeout(timer));
}

function guardSession(session: http2.ServerHttp2Session): void {
  let streams = 0;
  session.on("error", () => session.destroy());
  session.on("stream", (stream: http2.ServerHttp2Stream) => {
    streams++;
    stream.on("close", () => streams--);
    stream.on("error", () => {}); // the handler of the stream sees its close; an unheard error ends the process
  });
  // Its streams share a connection's window, which stays at 64 KiB unless told otherwise: too little for many.
  session.setLocalWindowSize(STREAMS_MAX * STREAM_WINDOW_BYTES);
  session.setTimeout(IDLE_CONNECTION_MS, () => {
    if (streams === 0) session.destroy();
  });
}
