/**
 * InvokeAgentRuntime of Amazon Bedrock AgentCore: the same payload and the same server-sent events as an agent's
 * own /invocations, carried by AWS. Apart from agent-client.ts because only the command line needs the SDK's
 * client; the agent's image does not hold it.
 */
import { BedrockAgentCoreClient, InvokeAgentRuntimeCommand } from "@aws-sdk/client-bedrock-agentcore";
import { type ErrorCode, isAbortError, isSpeechError, SpeechError } from "../errors.ts";
import type { AgentPayloadInput } from "../protocol/agent-events.ts";
import { httpError } from "./http-error.ts";
import { networkError } from "./network-error.ts";
import { awsCredentials } from "./sagemaker/credentials.ts";

export interface AgentRuntime {
  readonly arn: string;
  readonly region: string;
  readonly endpointName?: string;
}

/** Whom we talk to, in messages. */
const PEER = "AgentCore";
const CONNECT_TIMEOUT_MS = 10_000;

/** Bytes of the answer. @throws {SpeechError} */
export async function* invokeAgentRuntime(
  runtime: AgentRuntime,
  payload: AgentPayloadInput,
  runtimeSessionId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const client = new BedrockAgentCoreClient({
    region: runtime.region,
    credentials: awsCredentials(),
    // A prompt is not repeated behind the caller's back: the agent may have begun to answer it.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS },
  });
  try {
    const answer = await client.send(
      new InvokeAgentRuntimeCommand({
        agentRuntimeArn: runtime.arn,
        qualifier: runtime.endpointName,
        runtimeSessionId,
        contentType: "application/json",
        accept: "text/event-stream",
        payload: Buffer.from(JSON.stringify(payload)),
      }),
      signal ? { abortSignal: signal } : {},
    );
    if (!answer.response) return;
    const body = answer.response as unknown as AsyncIterable<Uint8Array> & { destroy?(reason?: Error): void };
    const stop = () => body.destroy?.(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      yield* body;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw runtimeError(cause);
  } finally {
    client.destroy();
  }
}

const BY_NAME: Record<string, { code: ErrorCode; words: string }> = {
  AccessDeniedException: {
    code: "ACCESS_DENIED",
    words:
      "these credentials may not invoke the AgentCore runtime; allow bedrock-agentcore:InvokeAgentRuntime on its ARN",
  },
  ExpiredTokenException: {
    code: "ACCESS_DENIED",
    words: "the AWS credentials have expired; run `aws sso login` (or renew them where they come from)",
  },
  UnrecognizedClientException: {
    code: "ACCESS_DENIED",
    words: "AWS does not know these credentials; check AWS_PROFILE",
  },
  InvalidSignatureException: {
    code: "ACCESS_DENIED",
    words: "AWS refused the signature; check this machine's clock, the region and the secret access key",
  },
  ResourceNotFoundException: {
    code: "NOT_FOUND",
    words: "there is no such AgentCore runtime in this account and region; check the ARN, or deploy it",
  },
  ValidationException: { code: "INVALID_REQUEST", words: "AgentCore refused the request" },
  ThrottlingException: { code: "THROTTLED", words: "AgentCore throttles calls; try again after a pause" },
  ServiceQuotaExceededException: {
    code: "THROTTLED",
    words: "a quota of AgentCore is used up; try again later, or ask for more",
  },
  InternalServerException: { code: "TRANSPORT_FAILED", words: "AgentCore failed; try again" },
  RuntimeClientError: {
    code: "INTERNAL",
    words: "the agent's container failed; its log in CloudWatch has the cause",
  },
};

function runtimeError(cause: unknown): Error {
  if (isSpeechError(cause) || isAbortError(cause)) return cause as Error;
  const name = cause instanceof Error ? cause.name : "";
  const known = BY_NAME[name];
  if (known) return new SpeechError(known.code, known.words, { cause, details: { exception: name } });
  const httpStatus = (cause as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata
    ?.httpStatusCode;
  return httpStatus === undefined ? networkError(cause, PEER) : httpError(httpStatus, "", PEER);
}
