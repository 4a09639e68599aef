/**
 * Tells a turn at once that its caller left. BedrockAgentCoreApp notices only at the next event it sends, and
 * never while a write waits for a reader who is gone; the socket itself knows when it closes.
 */
import type { Socket } from "node:net";

const SIGNALS = new WeakMap<Socket, AbortSignal>();

/** Fires when the socket closes. One signal a socket, however many calls it carries. */
export function callerGone(socket: Socket): AbortSignal {
  const known = SIGNALS.get(socket);
  if (known) return known;
  const gone = new AbortController();
  const leave = () => gone.abort(new CallerLeft());
  if (socket.destroyed) leave();
  else socket.once("close", leave);
  SIGNALS.set(socket, gone.signal);
  return gone.signal;
}

export class CallerLeft extends Error {
  override readonly name = "AbortError";
  constructor() {
    super("the caller closed the connection");
  }
}

/** A request body as it came, with the end of its caller: the only place where the app lets us see the socket. */
export class ReceivedBody {
  readonly text: string;
  readonly callerGone: AbortSignal;

  constructor(text: string, gone: AbortSignal) {
    this.text = text;
    this.callerGone = gone;
  }
}
