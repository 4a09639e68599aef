/**
 * A SpeechTransport straight to a container, without SageMaker in between: each WebSocket message is one whole part.
 */
import { BIDI_PATH } from "../protocol/limits.ts";
import type { SpeechTransport } from "./transport.ts";
import { WebSocketConnection, type WebSocketMessage, type WebSocketOptions } from "./websocket-connection.ts";

/**
 * @param options.url the container's base URL, e.g. http://127.0.0.1:8080; its path is replaced.
 */
export function connectWebSocket(options: WebSocketOptions): SpeechTransport {
  const connection = new WebSocketConnection({ ...options, url: new URL(BIDI_PATH, options.url) });
  return {
    parts: bytesOf(connection.messages),
    send: (message) => connection.send(message),
    // A WebSocket has no half-close: its closing handshake still delivers what the peer sends before its Close.
    end: async () => connection.close(),
    destroy: (reason) => connection.destroy(reason),
  };
}

async function* bytesOf(
  messages: AsyncIterable<WebSocketMessage>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const message of messages) yield message.bytes;
}
