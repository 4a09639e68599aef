/** A caller of the agent's `/ws` for tests: sends what it is told, and reads message by message or turn by turn. */
import { WebSocket } from "ws";
import type { AgentEvent } from "../../lib/protocol/agent-events.ts";

export type AgentMessage = AgentEvent | Uint8Array;

export interface AgentSocket {
  readonly socket: WebSocket;
  send(message: object): void;
  sendRaw(frame: string | Buffer): void;
  /** Reads on until a message is of the kind wanted, and gives that one. */
  next(wanted: (message: AgentMessage) => boolean): Promise<AgentMessage>;
  /** Reads on to the end of a turn, and gives everything up to it. */
  turn(): Promise<AgentMessage[]>;
  /** Close code. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

export async function openAgentSocket(agentUrl: URL): Promise<AgentSocket> {
  const socket = new WebSocket(new URL("/ws", agentUrl.href.replace("http", "ws")));
  const received: AgentMessage[] = [];
  let wake: () => void = () => {};
  socket.on("message", (data: Buffer, isBinary) => {
    received.push(isBinary ? new Uint8Array(data) : (JSON.parse(data.toString()) as AgentEvent));
    wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      resolve(code);
      wake();
    });
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.on("error", () => {});

  async function take(): Promise<AgentMessage> {
    while (received.length === 0) {
      if (socket.readyState === WebSocket.CLOSED) throw new Error("the agent closed the socket");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return received.shift()!;
  }

  return {
    socket,
    closed,
    send: (message) => socket.send(JSON.stringify(message)),
    sendRaw: (frame) => socket.send(frame),
    async next(wanted) {
      for (;;) {
        const message = await take();
        if (wanted(message)) return message;
      }
    },
    async turn() {
      const messages: AgentMessage[] = [];
      for (;;) {
        const message = await take();
        messages.push(message);
        if (!(message instanceof Uint8Array) && (message.type === "agent_end" || message.type === "error")) {
          return messages;
        }
      }
    },
    async close() {
      socket.close();
      await closed;
    },
  };
}
