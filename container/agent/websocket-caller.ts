/**
 * `/ws`: one caller, many turns. A frame of either kind is a prompt or `{"type": "cancel"}`; events go back as text frames,
 * audio as binary frames in their place. A new prompt while a turn runs is barge-in: that turn is cancelled, ends
 * with `agent_end {cancelled: true}`, and the new one starts. Every `agent_start` is closed by one `agent_end` or
 * `error` before the next.
 */
import { randomUUID } from "node:crypto";
import type { RequestContext } from "bedrock-agentcore/runtime";
import type { RawData, WebSocket } from "ws";
import { SpeechError } from "../../lib/errors.ts";
import { MESSAGE_MAX_BYTES } from "../../lib/protocol/limits.ts";
import { CallerLeft } from "./caller-socket.ts";
import { parseJson, readRuntimeSessionId, readTurnRequest } from "./prompt.ts";
import type { TurnEvent, TurnRequest } from "./turn.ts";
import { errorEvent, TurnCancelled, type TurnRunner } from "./turn-runner.ts";

/** What may lie unsent in our memory for one caller: about two seconds of audio. */
const UNSENT_MAX_BYTES = 96 * 1024;
/** Prompts that wait for their turn; a caller who floods is read no further until they are through. */
const WAITING_MAX = 8;
/** A caller whose machine vanished sends no close; it is noticed by the pong it misses. */
const PING_INTERVAL_MS = 30_000;

export interface WebSocketCallerOptions {
  readonly runner: TurnRunner;
  readonly endpointName: string;
  readonly context: RequestContext;
}

/** Resolves when the caller has left and its last turn ended. Never rejects. */
export async function serveWebSocketCaller(
  socket: WebSocket,
  options: WebSocketCallerOptions,
): Promise<void> {
  const caller = new WebSocketCaller(socket, options);
  await caller.gone;
  await caller.settled();
}

class WebSocketCaller {
  readonly #socket: WebSocket;
  readonly #options: WebSocketCallerOptions;
  readonly #left = new AbortController();
  #turn = new AbortController();
  /** Turns run one after another. */
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;
  readonly gone: Promise<void>;

  constructor(socket: WebSocket, options: WebSocketCallerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.gone = new Promise((resolve) => {
      socket.once("close", () => {
        this.#left.abort(new CallerLeft());
        resolve();
      });
    });
    // 'close' follows; without a listener the error would end the process.
    socket.on("error", () => {});
    socket.on("message", (data) => this.#receive(data));
    this.#watchPongs();
  }

  settled(): Promise<void> {
    return this.#turns;
  }

  #receive(data: RawData): void {
    const requestId = randomUUID();
    try {
      const text = data.toString();
      if (text.length > MESSAGE_MAX_BYTES) {
        throw new SpeechError("TEXT_TOO_LONG", `a message must have at most ${MESSAGE_MAX_BYTES} bytes`);
      }
      const payload = parseJson(text);
      const type = (payload as { type?: unknown } | null)?.type;
      if (type === "cancel") {
        this.#turn.abort(new TurnCancelled("cancelled by the caller"));
        return;
      }
      if (type !== undefined && type !== "prompt") {
        throw new SpeechError("INVALID_REQUEST", 'type must be "prompt", "cancel" or absent');
      }
      this.#start(readTurnRequest(payload, { requestId, endpointName: this.#options.endpointName }));
    } catch (error) {
      // In its place in the order: never between a running turn's events as if it were that turn's end.
      this.#enqueue(async () => this.#send(errorEvent(error, requestId)));
    }
  }

  #start(request: TurnRequest): void {
    const runtimeSessionId = readRuntimeSessionId(this.#options.context);
    this.#turn.abort(new TurnCancelled("a new prompt came"));
    this.#turn = new AbortController();
    const signal = AbortSignal.any([this.#turn.signal, this.#left.signal]);
    this.#enqueue(async () => {
      for await (const event of this.#options.runner.run(request, runtimeSessionId, signal)) {
        await this.#send(event);
      }
    });
  }

  #enqueue(step: () => Promise<void>): void {
    if (++this.#waiting >= WAITING_MAX) this.#socket.pause();
    this.#turns = this.#turns.then(step).catch(() => {
      // Only a send to a caller who left rejects; its turn has been told by #left.
    });
    void this.#turns.finally(() => {
      if (--this.#waiting < WAITING_MAX && this.#socket.isPaused) this.#socket.resume();
    });
  }

  /** Resolves at once while little lies unsent, else when this event has left: a slow reader slows the turn. */
  async #send(event: TurnEvent): Promise<void> {
    if (this.#left.signal.aborted) throw this.#left.signal.reason;
    const frame = event.type === "audio_chunk" ? event.pcm : JSON.stringify(event);
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(frame, (error) => (error ? reject(error) : resolve()));
      if (this.#socket.bufferedAmount < UNSENT_MAX_BYTES) resolve();
    });
  }

  #watchPongs(): void {
    let alive = true;
    this.#socket.on("pong", () => {
      alive = true;
    });
    const timer = setInterval(() => {
      if (!alive) return this.#socket.terminate();
      alive = false;
      this.#socket.ping();
    }, PING_INTERVAL_MS);
    void this.gone.then(() => clearInterval(timer));
  }
}
