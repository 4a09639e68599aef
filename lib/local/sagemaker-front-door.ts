/**
 * Stand-in for SageMaker Runtime, so that the whole system runs on one machine over the real wires. On one port:
 * `POST /endpoints/{name}/invocations-bidirectional-stream` (HTTP/2), `/invocations` and
 * `/invocations-response-stream`. Signatures are checked as AWS checks them; the endpoint's name chooses the
 * container. Errors carry the service's types, statuses and words.
 */
import { randomUUID } from "node:crypto";
import type http2 from "node:http2";
import { BIDI_PATH, INVOCATIONS_PATH } from "../protocol/limits.ts";
import { AwsFault, toAwsFault } from "./aws-fault.ts";
import { answerFault, readBody } from "./http-exchange.ts";
import { type HttpRequest, type HttpResponse, type ListenOptions, listenHttp } from "./http-listener.ts";
import { INVOCATION_LIMITS, type InvocationLimits, invoke } from "./invocation-proxy.ts";
import { RequestSignature, type SecretFor, sha256Hex } from "./signature.ts";
import { BRIDGE_LIMITS, type BridgeLimits, bridge } from "./websocket-bridge.ts";

/** A line for the log: names, ids and codes, never a payload. */
export interface FrontDoorEvent {
  readonly event: "invocation" | "bidi_open" | "bidi_end" | "refused";
  readonly requestId: string;
  readonly endpoint?: string;
  readonly outcome?: string;
  readonly durationMs?: number;
}

export interface SageMakerFrontDoorOptions extends ListenOptions {
  /** Endpoint name -> base URL of its container. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly secretFor: SecretFor;
  /** Region that signatures must be scoped to; any when undefined. */
  readonly region?: string;
  readonly nowMs?: () => number;
  readonly limits?: Partial<BridgeLimits & InvocationLimits>;
  readonly holdResponseHeaders?: boolean;
  readonly onEvent?: (event: FrontDoorEvent) => void;
}

export interface RunningStandIn {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

const OPERATION =
  /^\/endpoints\/([^/]+)\/(invocations|invocations-response-stream|invocations-bidirectional-stream)$/;

/** @throws {SpeechError} CONFIGURATION when the port is taken. */
export function startSageMakerFrontDoor(options: SageMakerFrontDoorOptions): Promise<RunningStandIn> {
  const door = new FrontDoor(options);
  return listenHttp(options, (request, response) => void door.handle(request, response));
}

class FrontDoor {
  readonly #options: SageMakerFrontDoorOptions;
  readonly #limits: BridgeLimits & InvocationLimits;
  readonly #nowMs: () => number;

  constructor(options: SageMakerFrontDoorOptions) {
    this.#options = options;
    this.#limits = { ...BRIDGE_LIMITS, ...INVOCATION_LIMITS, ...options.limits };
    this.#nowMs = options.nowMs ?? Date.now;
  }

  async handle(request: HttpRequest, response: HttpResponse): Promise<void> {
    const requestId = randomUUID();
    try {
      await this.#route(request, response, requestId);
    } catch (error) {
      this.#log({ event: "refused", requestId, outcome: toAwsFault(error).errorType });
      answerFault(request, response, error, requestId);
    }
  }

  async #route(request: HttpRequest, response: HttpResponse, requestId: string): Promise<void> {
    const target = request.url ?? "/";
    const match = OPERATION.exec(target.split("?")[0]!);
    if (!match || request.method !== "POST") {
      throw new AwsFault(404, "UnknownOperationException", "no such operation");
    }
    const [, encodedName, operation] = match as unknown as string[];
    const bidirectional = operation === "invocations-bidirectional-stream";
    // The bodies of these refusals differ by operation, as the two APIs of the service do.
    const invalid = (message: string) =>
      new AwsFault(400, bidirectional ? "InputValidationError" : "ValidationError", message);
    const signature = new RequestSignature(
      { method: "POST", target, header: (name) => headerOf(request, name) },
      {
        service: "sagemaker",
        ...(this.#options.region !== undefined && { region: this.#options.region }),
        secretFor: this.#options.secretFor,
        nowMs: this.#nowMs,
      },
    );
    const endpoint = decodeName(encodedName!);
    const containerUrl = endpoint !== undefined ? this.#containerOf(endpoint) : undefined;
    const responseHeaders = {
      "x-amzn-requestid": requestId,
      "x-amzn-invoked-production-variant": "AllTraffic",
    };
    if (!bidirectional) {
      const body = await readBody(request, this.#limits.requestMaxBytes);
      signature.verify(sha256Hex(body));
      if (!containerUrl) throw invalid(`Endpoint ${endpoint} not found.`);
      this.#log({ event: "invocation", requestId, endpoint: endpoint! });
      return invoke({
        request,
        response,
        body,
        containerUrl: new URL(INVOCATIONS_PATH, containerUrl),
        streamed: operation === "invocations-response-stream",
        responseHeaders,
        limits: this.#limits,
      });
    }
    signature.verify();
    if (!containerUrl) throw invalid(`Endpoint ${endpoint} not found.`);
    if (!("stream" in request)) throw invalid("this operation is served over HTTP/2 only");
    await this.#bidi(request, signature, requestId, endpoint!, upgradeUrl(containerUrl, request, invalid));
  }

  async #bidi(
    request: http2.Http2ServerRequest,
    signature: RequestSignature,
    requestId: string,
    endpoint: string,
    containerUrl: URL,
  ): Promise<void> {
    const beganMs = performance.now();
    this.#log({ event: "bidi_open", requestId, endpoint });
    const outcome = await bridge({
      stream: request.stream,
      containerUrl,
      containerHeaders: { "x-amzn-requestid": requestId },
      events: signature.events(),
      responseHeaders: {
        ":status": 200,
        "content-type": "application/vnd.amazon.eventstream",
        "x-amzn-requestid": requestId,
        "x-amzn-invoked-production-variant": "AllTraffic",
      },
      holdResponseHeaders: this.#options.holdResponseHeaders ?? false,
      limits: this.#limits,
    });
    const durationMs = Math.round(performance.now() - beganMs);
    this.#log({ event: "bidi_end", requestId, endpoint, outcome, durationMs });
  }

  #containerOf(endpoint: string): string | undefined {
    return Object.hasOwn(this.#options.endpoints, endpoint) ? this.#options.endpoints[endpoint] : undefined;
  }

  #log(event: FrontDoorEvent): void {
    this.#options.onEvent?.(event);
  }
}

/** The caller may choose another path of the container, and a query, by two headers. */
function upgradeUrl(base: string, request: HttpRequest, invalid: (message: string) => AwsFault): URL {
  const path = headerOf(request, "x-amzn-sagemaker-model-invocation-path");
  const query = headerOf(request, "x-amzn-sagemaker-model-query-string");
  const url = new URL(base);
  if (path !== undefined && !/^\/?[A-Za-z0-9/_.~-]*$/.test(path)) {
    throw invalid("the model invocation path holds characters that are not allowed");
  }
  url.pathname = path === undefined ? BIDI_PATH : path.startsWith("/") ? path : `/${path}`;
  if (query !== undefined) url.search = query;
  return url;
}

function headerOf(request: HttpRequest, name: string): string | undefined {
  if (name === "host") {
    const host = request.headers.host ?? request.headers[":authority"];
    return typeof host === "string" ? host : undefined;
  }
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
