/**
 * What BedrockAgentCoreApp 0.4.4 does not offer but a server needs: its true address, a close that drains, a limit
 * on WebSocket messages, callers without the AgentCore headers. All of it is ordinary Fastify, reached through the
 * app's one Fastify instance (`_app`, private in its types; test/container/agent/agent-server.test.ts fails should
 * it go). Its `run` ends the process when the port cannot be had, so the reason is caught from its log.
 */
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BedrockAgentCoreApp } from "bedrock-agentcore/runtime";
import { SpeechError } from "../../lib/errors.ts";
import { RUNTIME_SESSION_HEADER } from "../../lib/protocol/agent-events.ts";
import {
  AGENT_WS_PATH,
  FRAME_HARD_MAX_BYTES,
  INVOCATIONS_PATH,
  MESSAGE_MAX_BYTES,
  PING_PATH,
} from "../../lib/protocol/limits.ts";
import { toErrorBody } from "../../lib/protocol/wire-errors.ts";
import type { Log, LogFields } from "./log.ts";

const SESSION_HEADER = RUNTIME_SESSION_HEADER.toLowerCase();

/** A request must have come whole in this time, its head in less: who sends a byte a second holds no connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
}

export class AgentServer {
  readonly #app: BedrockAgentCoreApp;
  readonly #fastify: FastifyParts;

  constructor(app: BedrockAgentCoreApp) {
    this.#app = app;
    this.#fastify = (app as unknown as { _app: FastifyParts })._app;
    this.#fastify.server.headersTimeout = HEADERS_TIMEOUT_MS;
    this.#fastify.server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.#fastify.addHook("onRequest", async (request) => {
      // A caller that is not AgentCore (curl, a test) gets a session of its own instead of a refusal ...
      request.headers[SESSION_HEADER] ||= randomUUID();
      // ... and the one form there is, whatever it accepts: a 406 would help nobody.
      request.headers.accept = "text/event-stream";
    });
    // What never reaches a handler of ours is answered in our form too, not in Fastify's.
    this.#fastify.setNotFoundHandler((_request, reply) => {
      const paths = [`POST ${INVOCATIONS_PATH}`, `GET ${PING_PATH}`, `WebSocket ${AGENT_WS_PATH}`];
      const words = `this path is not served; there are ${paths.join(", ")}`;
      reply.code(404).send(toErrorBody(new SpeechError("NOT_FOUND", words), randomUUID()));
    });
    this.#fastify.setErrorHandler((error, _request, reply) => {
      const refusal = refusalOf(error.statusCode);
      reply.code(refusal?.httpStatus ?? 500).send(toErrorBody(refusal ?? error, randomUUID()));
    });
    this.#fastify.addHook("onReady", async () => {
      // @fastify/websocket is registered without options; ws reads this one at every upgrade (100 MiB otherwise).
      const server = this.#fastify.websocketServer;
      if (server) server.options.maxPayload = FRAME_HARD_MAX_BYTES;
    });
  }

  /** Resolves with the address once it accepts; `port` 0 takes any free one. */
  async listen(options: ListenOptions): Promise<AddressInfo> {
    const listening = new Promise<void>((resolve) => {
      this.#fastify.addHook("onListen", async () => resolve());
    });
    this.#app.run(options);
    await listening;
    return this.#fastify.server.address() as AddressInfo;
  }

  /** Accepts nothing more and resolves when the calls that run have ended; WebSockets are closed. */
  async close(): Promise<void> {
    await this.#fastify.close();
  }
}

/** Of Fastify 5 and @fastify/websocket, what is used here. */
interface FastifyParts {
  readonly server: Server;
  readonly websocketServer?: { readonly options: { maxPayload?: number } };
  addHook(
    name: "onRequest",
    hook: (request: { headers: Record<string, string | string[] | undefined> }) => Promise<void>,
  ): void;
  addHook(name: "onReady" | "onListen", hook: () => Promise<void>): void;
  setNotFoundHandler(handler: (request: unknown, reply: Reply) => void): void;
  setErrorHandler(handler: (error: { statusCode?: number }, request: unknown, reply: Reply) => void): void;
  close(): Promise<void>;
}

interface Reply {
  code(status: number): Reply;
  send(body: unknown): void;
}

/** What a 4xx of Fastify stands for; undefined for a fault of ours, whose words are not for callers. */
function refusalOf(status = 500): SpeechError | undefined {
  if (status === 413) {
    return new SpeechError("TEXT_TOO_LONG", `the body must have at most ${MESSAGE_MAX_BYTES} bytes`);
  }
  if (status >= 400 && status < 500) {
    return new SpeechError("INVALID_REQUEST", `the request cannot be read (HTTP ${status})`);
  }
  return undefined;
}

/**
 * A stream for Fastify's logger that keeps codes only: its messages name URLs, headers and stack traces.
 * @param onListenFailed is called before the app ends the process.
 */
export function serverLogStream(
  log: Log,
  onListenFailed: (error: SpeechError, facts: LogFields) => void,
): { write(line: string): void } {
  return {
    write(line) {
      const { level, err } = JSON.parse(line) as { level: number; err?: ListenFailure };
      if (err?.syscall === "listen" || err?.syscall === "getaddrinfo") {
        onListenFailed(listenFailure(err), { port: err.port, system_code: err.code });
      } else
        log[level >= ERROR_LEVEL ? "error" : "warn"]("server", {
          error: { name: err?.type, code: err?.code },
        });
    },
  };
}

interface ListenFailure {
  readonly type?: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
}

/** pino's number for `error`. */
const ERROR_LEVEL = 50;

function listenFailure({ code, address, hostname, port }: ListenFailure): SpeechError {
  const where = `${address ?? hostname ?? "the host"}${port === undefined ? "" : `:${port}`}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `${where} is in use; set PORT to a free one (0 takes any)`,
    EACCES: `${where} may not be bound by this user; set PORT to one above 1023`,
    EADDRNOTAVAIL: `${where} is no address of this machine; set HOST to 127.0.0.1 or 0.0.0.0`,
    ENOTFOUND: `${where} cannot be resolved; set HOST to 127.0.0.1 or 0.0.0.0`,
  };
  return new SpeechError("CONFIGURATION", reasons[code ?? ""] ?? `cannot listen on ${where} (${code})`);
}
