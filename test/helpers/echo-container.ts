/**
 * A small container behind the SageMaker stand-in: echoes frames by kind and does, on command, what containers do
 * wrong. Commands are text messages that begin with `!`.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export interface EchoContainer {
  readonly url: string;
  /** Every WebSocket accepted so far, with what became of it. */
  readonly sockets: SocketRecord[];
  readonly upgradeTargets: string[];
  readonly requests: { target: string; headers: http.IncomingHttpHeaders; body: string }[];
  close(): Promise<void>;
}

export interface SocketRecord {
  readonly socket: WebSocket;
  readonly messages: { text: boolean; data: Buffer }[];
  readonly fragments: number[];
  closeCode?: number;
  readonly closed: Promise<number>;
}

export interface EchoOptions {
  readonly acceptDelayMs?: number;
  readonly refuseStatus?: number;
  /** Overrides the answer to `POST /invocations`. */
  readonly onInvocation?: (
    request: http.IncomingMessage,
    body: string,
    response: http.ServerResponse,
  ) => void;
  readonly onConnection?: (socket: WebSocket) => void;
  readonly autoPong?: boolean;
}

export async function startEchoContainer(options: EchoOptions = {}): Promise<EchoContainer> {
  const sockets: SocketRecord[] = [];
  const upgradeTargets: string[] = [];
  const requests: EchoContainer["requests"] = [];
  const wss = new WebSocketServer({ noServer: true, autoPong: options.autoPong ?? true });
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ target: request.url!, headers: request.headers, body });
    if (options.onInvocation) return options.onInvocation(request, body, response);
    response.writeHead(200, {
      "content-type": "text/plain",
      "x-amzn-sagemaker-custom-attributes": "echo=1",
      "x-private": "stays inside",
    });
    response.end(`echo:${body}`);
  });
  server.on("upgrade", (request, socket, head) => {
    upgradeTargets.push(request.url!);
    if (options.refuseStatus) {
      const body = '{"error":{"code":"QUEUE_SATURATED","message":"queue_saturated: full"}}';
      socket.end(
        `HTTP/1.1 ${options.refuseStatus} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    setTimeout(
      () => wss.handleUpgrade(request, socket, head, (ws) => serve(ws, sockets, options)),
      options.acceptDelayMs ?? 0,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    upgradeTargets,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const { socket } of sockets) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serve(socket: WebSocket, sockets: SocketRecord[], options: EchoOptions): void {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  const record: SocketRecord = { socket, messages: [], fragments: [], closed };
  sockets.push(record);
  socket.on("close", (code) => {
    record.closeCode = code;
    resolve(code);
  });
  socket.on("error", () => {});
  options.onConnection?.(socket);
  socket.on("message", (data, binary) => {
    const bytes = data as Buffer;
    record.messages.push({ text: !binary, data: bytes });
    const command = binary ? "" : bytes.toString("utf8");
    if (!command.startsWith("!")) return void socket.send(bytes, { binary });
    const [name, argument = ""] = command.slice(1).split(/ (.*)/s);
    if (name === "fragments") {
      for (const [i, piece] of ["one,", "two,", "three"].entries()) {
        socket.send(argument === "text" ? piece : Buffer.from(piece), {
          fin: i === 2,
          binary: argument !== "text",
        });
      }
    } else if (name === "close") socket.close(...(JSON.parse(argument) as [number, string]));
    else if (name === "model-error") {
      socket.send(JSON.stringify({ ModelStreamError: { ErrorCode: "E1", Message: "said so" } }));
    } else if (name === "die") socket.terminate();
    else if (name === "pause") socket.pause();
    else if (name === "resume-in") setTimeout(() => socket.resume(), Number(argument)) && socket.pause();
    else if (name === "violate") {
      (socket as unknown as { _socket: { write(b: Buffer): void } })._socket.write(
        Buffer.from(argument, "hex"),
      );
    } else if (name === "late") {
      setTimeout(() => {
        socket.send("late answer");
        socket.close(1000);
      }, 150);
    } else if (name === "flood") {
      const block = Buffer.alloc(64 * 1024, 7);
      let left = Number(argument);
      const more = () => {
        if (left-- > 0 && socket.readyState === socket.OPEN) socket.send(block, more);
        else if (left < 0) socket.close(1000);
      };
      more();
    }
  });
}
