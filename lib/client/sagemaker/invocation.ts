/**
 * The two calls of SageMaker Runtime that are not bidirectional, signed, over fetch: InvokeEndpoint (the whole
 * audio in one body; what a plain integration does) and InvokeEndpointWithResponseStream (audio as it is made).
 * SageMaker passes only the container's content type on, none of its own headers.
 */
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from "@smithy/types";
import { SpeechError } from "../../errors.ts";
import type { InvocationRequest } from "../../protocol/invocations.ts";
import { ERROR_BODY_MAX_BYTES } from "../http-error.ts";
import { networkError } from "../network-error.ts";
import { USER_AGENT } from "../user-agent.ts";
import type { SpeechEndpoint } from "./endpoint.ts";
import { decodeServiceEvent, FrameReader } from "./event-stream.ts";
import { RequestSigner } from "./request-signer.ts";
import { httpFailure, serviceError } from "./service-errors.ts";

export interface InvocationOptions {
  readonly endpoint: SpeechEndpoint;
  readonly credentials: AwsCredentialIdentity | AwsCredentialIdentityProvider;
  readonly signal?: AbortSignal;
  /** For the whole answer. @default 70000: SageMaker itself gives up at 60 s */
  readonly timeoutMs?: number;
  /** Longest body taken. @default 64 MiB, 23 minutes of PCM16 at 24 kHz */
  readonly bodyMaxBytes?: number;
}

export interface InvocationAnswer {
  readonly body: Uint8Array;
  /** The container's, e.g. audio/wav. */
  readonly contentType: string;
}

export interface StreamedInvocation {
  readonly contentType: string;
  /** Pieces of the container's body, as SageMaker cut them. Iterate once; leaving early cancels. */
  readonly body: AsyncIterable<Uint8Array>;
}

const TIMEOUT_MS_DEFAULT = 70_000;
const BODY_MAX_BYTES_DEFAULT = 64 * 1024 * 1024;

/** Synthesizes in one piece: resolves when all the audio is here. */
export async function invokeEndpoint(
  request: InvocationRequest,
  options: InvocationOptions,
): Promise<InvocationAnswer> {
  const deadline = deadlineOf(options);
  const { endpoint } = options;
  try {
    const response = await post(endpoint.invocationUrl, request, options, deadline);
    const body = await wholeBody(response, options.bodyMaxBytes ?? BODY_MAX_BYTES_DEFAULT);
    return { body, contentType: response.headers.get("content-type") ?? "" };
  } catch (cause) {
    throw explained(cause, options, endpoint.invocationUrl);
  }
}

/** Synthesizes with the audio streamed. Resolves with the answer's head. */
export async function invokeEndpointStream(
  request: InvocationRequest,
  options: InvocationOptions,
): Promise<StreamedInvocation> {
  const url = options.endpoint.responseStreamUrl;
  const deadline = deadlineOf(options);
  try {
    const response = await post(url, request, options, deadline);
    // The answer's own type says "event stream"; the container's is in a header of its own.
    const contentType = response.headers.get("x-amzn-sagemaker-content-type") ?? "";
    return { contentType, body: bodyParts(response, options) };
  } catch (cause) {
    throw explained(cause, options, url);
  }
}

async function* bodyParts(
  response: Response,
  options: InvocationOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new FrameReader();
  try {
    for await (const chunk of bytesOf(response)) {
      for (const frame of reader.feed(chunk)) {
        const event = decodeServiceEvent(frame);
        if (event.kind === "part") yield event.part.bytes;
        if (event.kind === "exception") {
          throw serviceError({ ...event, endpointName: options.endpoint.endpointName });
        }
      }
    }
    reader.end();
  } catch (cause) {
    throw explained(cause, options, options.endpoint.responseStreamUrl);
  }
}

async function post(
  url: URL,
  request: InvocationRequest,
  options: InvocationOptions,
  signal: AbortSignal,
): Promise<Response> {
  const { endpoint, credentials } = options;
  const signer = await RequestSigner.create({ region: endpoint.region, credentials });
  signal.throwIfAborted();
  const body = Buffer.from(JSON.stringify(request));
  // `host` is signed, but fetch sets it by itself and refuses to be told.
  const { host: _host, ...headers } = await signer.signRequest({
    url,
    headers: { "content-type": "application/json", accept: "*/*" },
    body,
  });
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "user-agent": USER_AGENT },
    body,
    signal,
    // A redirect would carry the signature to another host, where it is worth nothing.
    redirect: "error",
  });
  if (response.status === 200) return response;
  const header = (name: string) => response.headers.get(name) ?? undefined;
  const text = Buffer.from(await wholeBody(response, ERROR_BODY_MAX_BYTES)).toString("utf8");
  throw serviceError(httpFailure(response.status, header, text, endpoint.endpointName));
}

async function wholeBody(response: Response, bodyMaxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let totalBytes = 0;
  for await (const chunk of bytesOf(response)) {
    totalBytes += chunk.length;
    if (totalBytes > bodyMaxBytes) {
      throw new SpeechError(
        "PROTOCOL_VIOLATION",
        `the service sent a body of more than ${bodyMaxBytes} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, totalBytes);
}

async function* bytesOf(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body) yield* response.body;
}

function deadlineOf(options: InvocationOptions): AbortSignal {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS_DEFAULT);
  return options.signal ? AbortSignal.any([options.signal, limit]) : limit;
}

function explained(cause: unknown, options: InvocationOptions, url: URL): unknown {
  if (options.signal?.aborted) return options.signal.reason;
  if (cause instanceof Error && cause.name === "TimeoutError") {
    const timeoutMs = options.timeoutMs ?? TIMEOUT_MS_DEFAULT;
    return new SpeechError("DEADLINE_EXCEEDED", `${url.host} did not finish within ${timeoutMs} ms`, {
      cause,
    });
  }
  return networkError(cause, url.host);
}
