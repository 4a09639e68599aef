/**
 * One bidirectional stream, as SageMaker carries it: signed events of an HTTP/2 stream become WebSocket frames to
 * the container, its frames become events. Either side reads only as fast as the other takes; whoever leaves
 * first, the other side hears of it at once.
 *
 * A failure after the response began is an exception event and then the end: closing the HTTP/2 stream with a
 * code sends END_STREAM first, which looks like success to a client.
 */
import type http2 from "node:http2";
import { isSpeechError } from "../errors.ts";
import {
  ACCEPT_TIMEOUT_MS,
  MISSED_PONGS_ALLOWED,
  PING_INTERVAL_MS,
  SESSION_LIMIT_MS,
} from "../protocol/limits.ts";
import { AwsFault } from "./aws-fault.ts";
import { type ContainerEnd, type ContainerSocket, openContainerSocket } from "./container-socket.ts";
import { decodeEvent, EventStreamReader, encodeEvent } from "./event-stream.ts";
import type { EventSignatureChain } from "./signature.ts";
import { OPCODE, type WebSocketFrame } from "./websocket-frames.ts";

export interface BridgeLimits {
  readonly acceptTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly missedPongsAllowed: number;
  readonly sessionLimitMs: number;
  /** Longest event taken from a caller, both framings included. */
  readonly eventMaxBytes: number;
  /** Longest frame taken from a container. */
  readonly frameMaxBytes: number;
}

export const BRIDGE_LIMITS: BridgeLimits = {
  acceptTimeoutMs: ACCEPT_TIMEOUT_MS,
  pingIntervalMs: PING_INTERVAL_MS,
  missedPongsAllowed: MISSED_PONGS_ALLOWED,
  sessionLimitMs: SESSION_LIMIT_MS,
  // Ours, AWS names none: above MESSAGE_MAX_BYTES of the container, so that the container's own limit speaks.
  eventMaxBytes: 2 * 1024 * 1024,
  frameMaxBytes: 8 * 1024 * 1024,
};

export interface BridgeOptions {
  readonly stream: http2.ServerHttp2Stream;
  /** Where the container takes the upgrade, path and query included. */
  readonly containerUrl: URL;
  readonly containerHeaders: Readonly<Record<string, string>>;
  readonly events: EventSignatureChain;
  readonly responseHeaders: http2.OutgoingHttpHeaders;
  /** Sends the response headers with the first part only, as the service may: for clients that must not wait. */
  readonly holdResponseHeaders: boolean;
  readonly limits: BridgeLimits;
}

/** Close codes that end a stream cleanly: normal, and a Close frame without a code. */
const CLEAN_CLOSE_CODES: ReadonlySet<number> = new Set([1000, 1005]);
/** A caller that goes on sending after the answer ended is cut off after this long. */
const INPUT_GRACE_MS = 1_000;

/**
 * Runs one stream to its end. @returns in one word how it ended, for the log.
 * @throws {AwsFault} before the response began: the caller of this function answers it.
 */
export async function bridge(options: BridgeOptions): Promise<string> {
  const { stream, limits } = options;
  const gone = new AbortController();
  stream.on("close", () => gone.abort(new Error("the caller left")));
  const container = await openContainerSocket({
    ...limits,
    url: options.containerUrl,
    headers: options.containerHeaders,
    signal: gone.signal,
  });
  // A stream reset while its container was accepting never emits "close" again.
  if (stream.destroyed) {
    container.destroy();
    return "caller_left";
  }
  stream.on("close", () => container.close(1001, "the caller left"));
  return new Bridge(options, container).run();
}

class Bridge {
  readonly #options: BridgeOptions;
  readonly #stream: http2.ServerHttp2Stream;
  readonly #container: ContainerSocket;
  #finished: string | undefined;

  constructor(options: BridgeOptions, container: ContainerSocket) {
    this.#options = options;
    this.#stream = options.stream;
    this.#container = container;
  }

  async run(): Promise<string> {
    if (!this.#options.holdResponseHeaders) this.#respond();
    const timer = setTimeout(
      () =>
        this.#fail("ModelStreamError", "the stream reached its longest life", "ModelInvocationTimeExceeded"),
      this.#options.limits.sessionLimitMs,
    );
    void this.#carryInput(); // ends by itself, at the latest with the stream; never rejects
    await this.#carryOutput();
    clearTimeout(timer);
    return this.#finished ?? "caller_left";
  }

  /** Caller -> container. Ends at END_STREAM; the answer may go on long after. */
  async #carryInput(): Promise<void> {
    const reader = new EventStreamReader(this.#options.limits.eventMaxBytes);
    let insideMessage = false;
    try {
      for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
        for (const outer of reader.push(chunk as Buffer)) {
          if (this.#finished) return;
          this.#options.events.verify(outer);
          if (outer.payload.length === 0) continue; // the signed end of input
          const part = decodeEvent(outer.payload);
          if (part.headers.get(":event-type") !== "PayloadPart") continue; // an event of a later version
          const final = part.headers.get("CompletionState") !== "PARTIAL";
          const opcode = part.headers.get("DataType") === "UTF8" ? OPCODE.text : OPCODE.binary;
          await this.#container.send(insideMessage ? OPCODE.continuation : opcode, part.payload, final);
          insideMessage = !final;
        }
      }
      reader.end();
    } catch (error) {
      if (this.#stream.destroyed || this.#finished) return; // the caller left; the container knows already
      if (error instanceof AwsFault) this.#refuse(error.errorType, error.message);
      else if (isSpeechError(error)) this.#refuse("InputValidationError", error.message);
      else this.#fail("InternalStreamFailure", "internal error");
    }
  }

  /** Container -> caller. */
  async #carryOutput(): Promise<void> {
    for await (const frame of this.#container.frames()) {
      if (this.#finished || this.#stream.destroyed) break;
      const fault = modelStreamError(frame);
      if (fault) return this.#fail("ModelStreamError", fault.message, fault.errorCode);
      await this.#write(
        encodeEvent(
          {
            ":message-type": "event",
            ":event-type": "PayloadPart",
            ":content-type": "application/octet-stream",
            DataType: frame.text ? "UTF8" : "BINARY",
            CompletionState: frame.final ? "COMPLETE" : "PARTIAL",
          },
          frame.payload,
        ),
      );
    }
    this.#settle(await this.#container.ended);
  }

  #settle(end: ContainerEnd): void {
    if (end.kind === "died") {
      this.#fail("InternalStreamFailure", "the connection to the container broke");
    } else if (end.kind === "unresponsive") {
      this.#fail("ModelStreamError", `the container missed ${end.missedPongs} pongs`, "StreamBroken");
    } else if (end.kind === "violated" || (end.kind === "closed" && !CLEAN_CLOSE_CODES.has(end.code))) {
      const message = `the container closed the stream with code ${end.code}: ${end.reason}`;
      this.#fail("ModelStreamError", message, String(end.code));
    } else if (end.kind === "closed") this.#finish("completed");
  }

  /** An exception the service's model knows. */
  #fail(exceptionType: string, message: string, errorCode?: string): void {
    this.#finish(
      errorCode === undefined ? exceptionType : `${exceptionType}:${errorCode}`,
      encodeEvent(
        {
          ":message-type": "exception",
          ":exception-type": exceptionType,
          ":content-type": "application/json",
        },
        Buffer.from(
          JSON.stringify({ Message: message, ...(errorCode !== undefined && { ErrorCode: errorCode }) }),
        ),
      ),
    );
  }

  /** An error outside the service's model, as the event stream's specification carries one. */
  #refuse(errorCode: string, message: string): void {
    this.#finish(
      errorCode,
      encodeEvent({ ":message-type": "error", ":error-code": errorCode, ":error-message": message }),
    );
  }

  /** Last event, END_STREAM, goodbye to the container. Only the first call counts. */
  #finish(outcome: string, lastEvent?: Buffer): void {
    if (this.#finished) return;
    this.#finished = outcome;
    this.#container.close(1000);
    const stream = this.#stream;
    if (stream.destroyed) return;
    this.#respond();
    if (lastEvent) stream.write(lastEvent);
    stream.end();
    // RFC 9113 section 8.1: a whole answer may come before the whole request; the rest is then told to stop.
    stream.on("finish", () => {
      const timer = setTimeout(() => stream.close(), INPUT_GRACE_MS);
      stream.on("close", () => clearTimeout(timer));
      stream.resume();
    });
    // A caller that does not even read its end must not keep the stream for ever.
    stream.setTimeout(this.#options.limits.sessionLimitMs, () => stream.destroy());
  }

  #respond(): void {
    if (!this.#stream.headersSent) this.#stream.respond(this.#options.responseHeaders);
  }

  async #write(event: Buffer): Promise<void> {
    this.#respond();
    if (this.#stream.write(event)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off("drain", done).off("close", done);
        resolve();
      };
      this.#stream.on("drain", done).on("close", done);
      if (this.#stream.destroyed) done();
    });
  }
}

/** A container tells its own failure in a text frame `{"ModelStreamError": {"ErrorCode", "Message"}}`. */
function modelStreamError(frame: WebSocketFrame): { errorCode: string; message: string } | undefined {
  if (!frame.text || !frame.final || frame.opcode !== OPCODE.text) return undefined;
  if (frame.payload.length > 65_536 || !frame.payload.includes('"ModelStreamError"')) return undefined;
  try {
    const { ModelStreamError: fault } = JSON.parse(frame.payload.toString("utf8"));
    if (typeof fault !== "object" || fault === null) return undefined;
    return { errorCode: String(fault.ErrorCode ?? ""), message: String(fault.Message ?? "") };
  } catch {
    return undefined;
  }
}
