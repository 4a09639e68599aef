/**
 * Stand-in for Amazon Bedrock's Converse and ConverseStream: an answer from a file or built in, written token by
 * token at a model's pace. It stops at once when its caller leaves, and counts what it wrote, so that a test can
 * see that a cancelled turn costs nothing more. Credentials are not looked at.
 */
import { randomUUID } from "node:crypto";
import type http from "node:http";
import { AwsFault } from "./aws-fault.ts";
import { chooseAnswer } from "./bedrock-answers.ts";
import {
  type ConverseRequest,
  checkModelId,
  converseEvents,
  readConverseRequest,
  type StopReason,
  usageOf,
} from "./bedrock-converse.ts";
import { PACE_DEFAULT, type Pace, paceTokens } from "./bedrock-pacing.ts";
import { splitTokens } from "./bedrock-tokens.ts";
import { answerFault, readBody, write } from "./http-exchange.ts";
import { type HttpRequest, type HttpResponse, type ListenOptions, listenHttp } from "./http-listener.ts";
import type { RunningStandIn } from "./sagemaker-front-door.ts";

/** A fault to test callers with. Hits the first `calls` calls; every call when absent. */
export interface BedrockFault {
  readonly kind: "throttle" | "unavailable" | "stream-exception" | "disconnect" | "stall";
  /** Of the last three kinds: tokens written before it strikes. */
  readonly afterTokens?: number;
  readonly calls?: number;
}

export interface BedrockStats {
  readonly calls: number;
  readonly active: number;
  readonly completed: number;
  /** Streams whose caller left before the end. */
  readonly cancelled: number;
  readonly failed: number;
  readonly tokensWritten: number;
  /** Newest last; the newest 20. */
  readonly recent: readonly BedrockEvent[];
}

/** A line for the log: ids and counts, never a prompt or an answer. */
export interface BedrockEvent {
  readonly event: "model_stream_end" | "refused";
  readonly requestId: string;
  readonly modelId?: string;
  readonly outcome: string;
  readonly tokensWritten: number;
  readonly tokensPlanned: number;
  readonly durationMs: number;
}

export interface BedrockStandInOptions extends ListenOptions, Partial<Pace> {
  /** The answer to every prompt; without it the built-in ones. */
  readonly answer?: string;
  /** Ids taken; without it whatever looks like one. */
  readonly modelIds?: readonly string[];
  readonly fault?: BedrockFault;
  readonly onEvent?: (event: BedrockEvent) => void;
}

export interface RunningBedrockStandIn extends RunningStandIn {
  stats(): BedrockStats;
}

/** Ours: far above any conversation here; Bedrock itself takes more. */
const REQUEST_MAX_BYTES = 8 * 1024 * 1024;
const RECENT_KEPT = 20;
const OPERATION = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

/** @throws {SpeechError} CONFIGURATION when the port is taken. */
export async function startBedrockStandIn(options: BedrockStandInOptions): Promise<RunningBedrockStandIn> {
  const service = new BedrockStandIn(options);
  const listener = await listenHttp(options, (request, response) => void service.handle(request, response));
  return { ...listener, stats: () => service.stats() };
}

/** One answer on its way. */
interface Turn {
  readonly requestId: string;
  readonly modelId: string;
  readonly beganMs: number;
  readonly tokens: readonly string[];
  readonly stopReason: StopReason;
  readonly inputTokens: number;
  readonly fault: BedrockFault | undefined;
  tokensWritten: number;
}

class BedrockStandIn {
  readonly #options: BedrockStandInOptions;
  readonly #pace: Pace;
  readonly #counts = { calls: 0, active: 0, completed: 0, cancelled: 0, failed: 0, tokensWritten: 0 };
  readonly #recent: BedrockEvent[] = [];

  constructor(options: BedrockStandInOptions) {
    this.#options = options;
    this.#pace = {
      firstTokenMs: options.firstTokenMs ?? PACE_DEFAULT.firstTokenMs,
      tokensPerSecond: options.tokensPerSecond ?? PACE_DEFAULT.tokensPerSecond,
    };
  }

  stats(): BedrockStats {
    return { ...this.#counts, recent: [...this.#recent] };
  }

  async handle(request: HttpRequest, response: HttpResponse): Promise<void> {
    const requestId = randomUUID();
    try {
      await this.#route(request, response, requestId);
    } catch (error) {
      answerFault(request, response, error, requestId);
    }
  }

  async #route(request: HttpRequest, response: HttpResponse, requestId: string): Promise<void> {
    const beganMs = performance.now();
    const path = (request.url ?? "/").split("?")[0]!;
    if (path === "/_stats" && request.method === "GET") {
      (response as http.ServerResponse).writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(this.stats()));
      return;
    }
    const match = OPERATION.exec(path);
    if (!match || request.method !== "POST") {
      throw new AwsFault(404, "UnknownOperationException", "no such operation");
    }
    const modelId = checkModelId(match[1]!, this.#options.modelIds);
    const converse = readConverseRequest(await readBody(request, REQUEST_MAX_BYTES));
    const turn = this.#begin(requestId, modelId, beganMs, converse);
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the caller left")));
    if (response.destroyed) gone.abort(new Error("the caller left"));
    let outcome: "completed" | "cancelled" | "failed" = "failed";
    try {
      refuseByFault(turn.fault);
      outcome =
        match[2] === "converse"
          ? await this.#whole(response, turn, gone.signal)
          : await this.#stream(response, turn, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      outcome = "cancelled";
    } finally {
      this.#end(turn, outcome);
    }
  }

  #begin(requestId: string, modelId: string, beganMs: number, converse: ConverseRequest): Turn {
    const all = splitTokens(this.#options.answer ?? chooseAnswer(converse.prompt));
    const tokens = all.slice(0, converse.maxTokens);
    const { fault } = this.#options;
    this.#counts.calls++;
    this.#counts.active++;
    return {
      requestId,
      modelId,
      beganMs,
      tokens,
      stopReason: tokens.length < all.length ? "max_tokens" : "end_turn",
      inputTokens: converse.inputTokens,
      fault: fault && this.#counts.calls <= (fault.calls ?? Number.POSITIVE_INFINITY) ? fault : undefined,
      tokensWritten: 0,
    };
  }

  #end(turn: Turn, outcome: "completed" | "cancelled" | "failed"): void {
    this.#counts.active--;
    this.#counts[outcome]++;
    const line: BedrockEvent = {
      event: "model_stream_end",
      requestId: turn.requestId,
      modelId: turn.modelId,
      outcome,
      tokensWritten: turn.tokensWritten,
      tokensPlanned: turn.tokens.length,
      durationMs: Math.round(performance.now() - turn.beganMs),
    };
    this.#recent.push(line);
    if (this.#recent.length > RECENT_KEPT) this.#recent.shift();
    this.#options.onEvent?.(line);
  }

  async #stream(response: HttpResponse, turn: Turn, signal: AbortSignal): Promise<"completed" | "failed"> {
    (response as http.ServerResponse).writeHead(200, {
      "content-type": "application/vnd.amazon.eventstream",
      "x-amzn-requestid": turn.requestId,
    });
    await write(response, converseEvents.messageStart());
    for await (const token of paceTokens(turn.tokens, this.#pace, turn.beganMs, signal)) {
      if (turn.fault && turn.tokensWritten >= (turn.fault.afterTokens ?? 0)) {
        return strike(turn.fault, response, signal);
      }
      await write(response, converseEvents.contentBlockDelta(token));
      turn.tokensWritten++;
      this.#counts.tokensWritten++;
    }
    await write(response, converseEvents.contentBlockStop());
    await write(response, converseEvents.messageStop(turn.stopReason));
    const latencyMs = Math.round(performance.now() - turn.beganMs);
    await write(response, converseEvents.metadata(usageOf(turn.inputTokens, turn.tokensWritten), latencyMs));
    response.end();
    return "completed";
  }

  /** Converse: the same pace, told at the end. */
  async #whole(response: HttpResponse, turn: Turn, signal: AbortSignal): Promise<"completed"> {
    for await (const _ of paceTokens(turn.tokens, this.#pace, turn.beganMs, signal)) {
      turn.tokensWritten++;
      this.#counts.tokensWritten++;
    }
    (response as http.ServerResponse).writeHead(200, {
      "content-type": "application/json",
      "x-amzn-requestid": turn.requestId,
    });
    response.end(
      JSON.stringify({
        output: { message: { role: "assistant", content: [{ text: turn.tokens.join("") }] } },
        stopReason: turn.stopReason,
        usage: usageOf(turn.inputTokens, turn.tokensWritten),
        metrics: { latencyMs: Math.round(performance.now() - turn.beganMs) },
      }),
    );
    return "completed";
  }
}

/** Faults that strike before the answer begins. @throws {AwsFault} */
function refuseByFault(fault: BedrockFault | undefined): void {
  if (fault?.kind === "throttle") {
    throw new AwsFault(429, "ThrottlingException", "Too many requests, please wait before trying again.");
  }
  if (fault?.kind === "unavailable") {
    throw new AwsFault(503, "ServiceUnavailableException", "The service isn't currently available.");
  }
}

async function strike(fault: BedrockFault, response: HttpResponse, signal: AbortSignal): Promise<"failed"> {
  if (fault.kind === "disconnect") {
    // The whole connection: an HTTP/2 stream closed alone might end cleanly in the caller's eyes.
    if ("stream" in response) response.stream.session?.destroy();
    else response.destroy();
  } else if (fault.kind === "stall") {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    signal.throwIfAborted();
  } else {
    await write(
      response,
      converseEvents.exception("modelStreamErrorException", "The model failed while it answered."),
    );
    response.end();
  }
  return "failed";
}
