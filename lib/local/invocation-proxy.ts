/**
 * `POST /endpoints/{name}/invocations` and `/invocations-response-stream`: the caller's body goes to the
 * container's `POST /invocations`, its answer comes back as it is (the first) or as PayloadPart events (the
 * second). As the service does, only the headers it knows pass either way.
 */
import http from "node:http";
import { AwsFault } from "./aws-fault.ts";
import { encodeEvent } from "./event-stream.ts";
import { write } from "./http-exchange.ts";
import type { HttpRequest, HttpResponse } from "./http-listener.ts";

export interface InvocationLimits {
  /** SageMaker API reference, InvokeEndpoint, `Body`: at most 6,291,456 bytes. */
  readonly requestMaxBytes: number;
  /** SageMaker API reference, InvokeEndpoint: containers must respond within 60 seconds. */
  readonly responseTimeoutMs: number;
  /** SageMaker developer guide, "Inference options": a streamed response may take 8 minutes. */
  readonly streamTimeoutMs: number;
}

export const INVOCATION_LIMITS: InvocationLimits = {
  requestMaxBytes: 6_291_456,
  responseTimeoutMs: 60_000,
  streamTimeoutMs: 8 * 60_000,
};

/** Headers that cross from caller to container, and from container to caller. */
const CUSTOM_ATTRIBUTES = "x-amzn-sagemaker-custom-attributes";
const REQUEST_HEADERS = ["content-type", "accept", CUSTOM_ATTRIBUTES, "x-amzn-sagemaker-session-id"];
/** Kept of a container's error, for OriginalMessage. */
const ORIGINAL_MESSAGE_MAX_BYTES = 16_384;

export interface InvocationOptions {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly body: Buffer;
  readonly containerUrl: URL;
  readonly streamed: boolean;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly limits: InvocationLimits;
}

/** @throws {AwsFault} before the response began. */
export async function invoke(options: InvocationOptions): Promise<void> {
  const { response, limits, streamed } = options;
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  // Time to the first byte, then to the last: the unstreamed answer has one limit for both.
  const late = () => stop.abort(timeoutFault());
  let timer = setTimeout(late, limits.responseTimeoutMs);
  try {
    const answer = await callContainer(options, stop.signal);
    if (streamed) {
      clearTimeout(timer);
      timer = setTimeout(late, limits.streamTimeoutMs);
    }
    const status = answer.statusCode ?? 500;
    if (status < 200 || status > 299) throw await modelError(status, answer);
    await (streamed ? sendParts(options, answer, stop.signal) : sendBody(options, answer));
  } catch (error) {
    throw stop.signal.reason instanceof AwsFault ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function callContainer(options: InvocationOptions, signal: AbortSignal): Promise<http.IncomingMessage> {
  const headers: Record<string, string | number> = { "content-length": options.body.length };
  for (const name of REQUEST_HEADERS) {
    const value = options.request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const call = http.request(options.containerUrl, { method: "POST", headers, signal });
    call.on("response", resolve);
    call.on("error", () =>
      reject(new AwsFault(503, "ServiceUnavailable", "the endpoint's container cannot be reached")),
    );
    call.end(options.body);
  });
}

async function sendBody(options: InvocationOptions, answer: http.IncomingMessage): Promise<void> {
  const { response } = options;
  const length = answer.headers["content-length"];
  begin(options, {
    "content-type": answer.headers["content-type"] ?? "application/octet-stream",
    ...(length !== undefined && { "content-length": length }),
    ...customAttributes(answer),
  });
  for await (const chunk of answer) await write(response, chunk as Buffer);
  response.end();
}

async function sendParts(
  options: InvocationOptions,
  answer: http.IncomingMessage,
  signal: AbortSignal,
): Promise<void> {
  const { response } = options;
  begin(options, {
    "content-type": "application/vnd.amazon.eventstream",
    "x-amzn-sagemaker-content-type": answer.headers["content-type"] ?? "application/octet-stream",
    ...customAttributes(answer),
  });
  const part = {
    ":message-type": "event",
    ":event-type": "PayloadPart",
    ":content-type": "application/octet-stream",
  };
  try {
    for await (const chunk of answer) await write(response, encodeEvent(part, chunk as Buffer));
  } catch {
    if (response.destroyed) return; // the caller left
    const late = signal.reason instanceof AwsFault;
    const fault = {
      Message: late ? "the model did not finish in time" : "the connection to the container broke",
      ErrorCode: late ? "ModelInvocationTimeExceeded" : "StreamBroken",
    };
    await write(
      response,
      encodeEvent(
        {
          ":message-type": "exception",
          ":exception-type": "ModelStreamError",
          ":content-type": "application/json",
        },
        Buffer.from(JSON.stringify(fault)),
      ),
    );
  }
  response.end();
}

function begin(options: InvocationOptions, headers: http.OutgoingHttpHeaders): void {
  // One call signature for both protocols; the union of the two overloads is not callable.
  (options.response as http.ServerResponse).writeHead(200, { ...options.responseHeaders, ...headers });
  (options.response as http.ServerResponse).flushHeaders();
}

function customAttributes(answer: http.IncomingMessage): Record<string, string> {
  const value = answer.headers[CUSTOM_ATTRIBUTES];
  return typeof value === "string" ? { [CUSTOM_ATTRIBUTES]: value } : {};
}

/** The service's own words, by which its callers' code recognises a timeout. */
function timeoutFault(): AwsFault {
  const original =
    "Your invocation timed out while waiting for a response from container primary. Review the latency metrics " +
    "for each container in Amazon CloudWatch, resolve the issue, and try again.";
  return new AwsFault(
    424,
    "ModelError",
    `Received server error (0) from primary with message "${original}"`,
    {
      OriginalStatusCode: 0,
      OriginalMessage: original,
    },
  );
}

async function modelError(status: number, answer: http.IncomingMessage): Promise<AwsFault> {
  let original = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    original += chunk;
    if (original.length >= ORIGINAL_MESSAGE_MAX_BYTES) break;
  }
  original = original.slice(0, ORIGINAL_MESSAGE_MAX_BYTES);
  const side = status < 500 ? "client" : "server";
  return new AwsFault(
    424,
    "ModelError",
    `Received ${side} error (${status}) from primary with message "${original}".`,
    { OriginalStatusCode: status, OriginalMessage: original },
  );
}
