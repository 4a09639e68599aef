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
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
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
    this.#fastify.addHook("onReady", async () => {
      // @fastify/websocket is registered without options; ws reads this one at every upgrade (100 MiB otherwise).
      const server = this.#fastify.websocketServer;
      if (server) server.options.maxPayload = MESSAGE_MAX_BYTES;
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
  close(): Promise<void>;
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
