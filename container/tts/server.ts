/**
 * The container's HTTP server (docs/protocol.md): GET /ping, POST /invocations, and the WebSocket of SageMaker's
 * bidirectional streaming. Nothing here computes: a /ping and an accept are answered while every worker is busy.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { SpeechError } from "../../lib/errors.ts";
import {
  BIDI_PATH,
  FRAME_HARD_MAX_BYTES,
  INVOCATIONS_PATH,
  MESSAGE_MAX_BYTES,
  PING_PATH,
} from "../../lib/protocol/limits.ts";
import { FrameSocket, type FrameSocketOptions } from "./frame-socket.ts";
import { answerError, refuseUpgrade } from "./http-answer.ts";
import { answerInvocation } from "./invocations.ts";
import { errorFields } from "./log.ts";
import { newRequestId } from "./request-id.ts";
import type { SpeechService } from "./speech-service.ts";
import { SynthesisSession } from "./synthesis-session.ts";

/** A request must have come whole in this time, its head in less: who sends a byte a second holds no connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_MS = 5_000;
/** Longer than clients keep idle connections, so that they close them, not we under their next request. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MAX_BYTES = 16 * 1024;
const CONNECTIONS_MAX = 1_024;
/** Idle sessions cost little: more than a GPU could ever serve, few enough to stay in memory. */
const SESSIONS_MAX = 512;
const SWEEP_MS = 100;

export interface TtsServerOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly service: SpeechService;
  readonly sessionsMax?: number;
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly timeoutCheckMs?: number;
  readonly frames?: FrameSocketOptions;
}

export class TtsServer {
  readonly #http: Server;
  readonly #webSockets: WebSocketServer;
  readonly #service: SpeechService;
  readonly #sessions = new Set<SynthesisSession>();
  readonly #sessionsMax: number;
  readonly #frames: FrameSocketOptions | undefined;

  private constructor(options: TtsServerOptions) {
    this.#service = options.service;
    this.#sessionsMax = options.sessionsMax ?? SESSIONS_MAX;
    this.#frames = options.frames;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Audio does not shrink, and a compressor for each connection costs more memory than all else of it.
      perMessageDeflate: false,
      maxPayload: FRAME_HARD_MAX_BYTES,
    });
    this.#http = createServer({
      maxHeaderSize: HEADERS_MAX_BYTES,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: options.timeoutCheckMs ?? TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Java's HttpClient and curl --http2 offer h2c with a plain request, which is to be answered as one.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
    });
    this.#http.maxConnections = CONNECTIONS_MAX;
    this.#http.on("request", (request, response) => this.#answer(request, response));
    this.#http.on("checkContinue", (request, response) => this.#answerContinue(request, response));
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** @throws {SpeechError} CONFIGURATION when the address cannot be listened on. */
  static async start(options: TtsServerOptions): Promise<TtsServer> {
    const server = new TtsServer(options);
    await server.#listen(options.host, options.port);
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /**
   * Shuts down: takes nothing new, lets what was taken be spoken, and cuts it off after the bound.
   * @returns whether everything could be finished.
   */
  async drain(boundMs: number): Promise<boolean> {
    this.#service.beginClosing();
    let isCut = false;
    const cut = setTimeout(() => {
      isCut = true;
      for (const session of this.#sessions) session.terminate();
      this.#http.closeAllConnections();
    }, boundMs);
    const closed = new Promise((resolve) => this.#http.close(resolve));
    for (const session of this.#sessions) session.drain();
    // A connection that was busy when we stopped listening is kept alive by HTTP when its answer has ended.
    const sweep = setInterval(() => this.#http.closeIdleConnections(), SWEEP_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
    return !isCut;
  }

  #listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once("error", (cause: NodeJS.ErrnoException) => {
        reject(
          new SpeechError(
            "CONFIGURATION",
            `cannot listen on ${host}:${port} (${cause.code}); set PORT and HOST to a free address of this machine`,
            { cause, details: { host, port } },
          ),
        );
      });
      this.#http.listen(port, host, () => {
        this.#http.removeAllListeners("error");
        this.#http.on("error", (error) => this.#service.log("error", "server_error", errorFields(error)));
        resolve();
      });
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    // While shutting down no connection is kept: each would hold up the end.
    if (!this.#http.listening) response.setHeader("Connection", "close");
    const path = pathOf(request);
    const method = request.method ?? "";
    const allowed = METHODS.get(path);
    if (allowed === undefined) answerError(response, notFound(), newRequestId());
    else if (!allowed.includes(method)) {
      const error = new SpeechError(
        "INVALID_REQUEST",
        `method must be ${allowed.join(" or ")}, got ${method}`,
      );
      answerError(response, error, newRequestId(), 405, { Allow: allowed.join(", ") });
    } else if (path === PING_PATH) this.#answerPing(response);
    else if (path === INVOCATIONS_PATH) void answerInvocation(request, response, this.#service);
    else {
      const error = new SpeechError("INVALID_REQUEST", "this path takes a WebSocket upgrade only");
      answerError(response, error, newRequestId(), 426, { Upgrade: "websocket", Connection: "Upgrade" });
    }
  }

  #answerPing(response: ServerResponse): void {
    try {
      this.#service.checkReady();
      const body = JSON.stringify({ status: "ready" });
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
      response.end(body);
    } catch (error) {
      answerError(response, error);
    }
  }

  /** A body that would be refused for its size need not be sent at all. */
  #answerContinue(request: IncomingMessage, response: ServerResponse): void {
    const declaredBytes = Number(request.headers["content-length"] ?? 0);
    if (declaredBytes <= MESSAGE_MAX_BYTES) response.writeContinue();
    else response.setHeader("Connection", "close");
    this.#answer(request, response);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      if (pathOf(request) !== BIDI_PATH) throw notFound();
      this.#service.checkReady();
      if (this.#sessions.size >= this.#sessionsMax) {
        throw new SpeechError(
          "QUEUE_SATURATED",
          `${this.#sessions.size} sessions are open, which is the limit`,
        );
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket));
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  }

  #serve(webSocket: WebSocket): void {
    const session = new SynthesisSession(new FrameSocket(webSocket, this.#frames), this.#service);
    this.#sessions.add(session);
    void session.run().finally(() => this.#sessions.delete(session));
  }
}

const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  [PING_PATH, ["GET", "HEAD"]],
  [INVOCATIONS_PATH, ["POST"]],
  [BIDI_PATH, ["GET"]],
]);

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0]!;
}

function notFound(): SpeechError {
  const paths = [`GET ${PING_PATH}`, `POST ${INVOCATIONS_PATH}`, `WebSocket ${BIDI_PATH}`];
  return new SpeechError("NOT_FOUND", `this path is not served; there are ${paths.join(", ")}`);
}
