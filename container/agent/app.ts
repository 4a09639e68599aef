/**
 * The agent's two doors, on BedrockAgentCoreApp: `/invocations` (one prompt, events as SSE, audio base64) and
 * `/ws` (many prompts, audio binary). The app sends the message of any error that escapes a handler to the caller,
 * so none escapes: what is wrong with a request is an `error` event too, which AgentCore passes on untouched while
 * it hides the body of a 4xx.
 */
import type { Socket } from "node:net";
import { BedrockAgentCoreApp, type RequestContext } from "bedrock-agentcore/runtime";
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import { callerGone, ReceivedBody } from "./caller-socket.ts";
import { parseJson, readRequestId, readRuntimeSessionId, readTurnRequest } from "./prompt.ts";
import type { TurnEvent } from "./turn.ts";
import { errorEvent, type TurnRunner } from "./turn-runner.ts";
import { serveWebSocketCaller } from "./websocket-caller.ts";

export interface AgentAppOptions {
  readonly runner: TurnRunner;
  /** Used when a payload names none. */
  readonly endpointName: string;
  /** Takes Fastify's log lines. */
  readonly serverLog: { write(line: string): void };
}

export function createAgentApp({ runner, endpointName, serverLog }: AgentAppOptions): BedrockAgentCoreApp {
  return new BedrockAgentCoreApp({
    invocationHandler: {
      process: (body, context) => answer(body, context),
    },
    websocketHandler: async (socket, context) => {
      await serveWebSocketCaller(socket, { runner, endpointName, context });
    },
    // HealthyBusy keeps AgentCore from ending an idle-looking session in which a turn still speaks.
    pingHandler: () => (runner.runningTurns > 0 ? "HealthyBusy" : "Healthy"),
    config: {
      logging: { disableRequestLogging: true, options: { level: "warn", stream: serverLog } },
      // All types: a payload is JSON whatever it is called, and is parsed where its faults become events.
      contentTypeParsers: ["*", "application/json", "text/plain"].map((contentType) => ({
        contentType,
        parseAs: "string",
        bodyLimit: MESSAGE_MAX_BYTES,
        parser: async (request: { raw: { socket: Socket } }, body: string | Buffer) =>
          new ReceivedBody(body.toString(), callerGone(request.raw.socket)),
      })),
    },
  });

  async function* answer(body: unknown, context: RequestContext): AsyncGenerator<{ data: unknown }> {
    const requestId = readRequestId(context);
    try {
      const received =
        body instanceof ReceivedBody ? body : new ReceivedBody("", new AbortController().signal);
      const request = readTurnRequest(parseJson(received.text), { requestId, endpointName });
      const sessionId = readRuntimeSessionId(context);
      for await (const event of runner.run(request, sessionId, received.callerGone)) {
        yield { data: toSseEvent(event) };
      }
    } catch (error) {
      yield { data: errorEvent(error, requestId) };
    }
  }
}

function toSseEvent(event: TurnEvent): unknown {
  if (event.type !== "audio_chunk") return event;
  const { pcm, ...rest } = event;
  return { ...rest, data: Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString("base64") };
}
