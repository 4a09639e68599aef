/**
 * Bedrock behind Strands' model interface: one client for the process, whose HTTP/2 connection is kept between
 * turns so that a turn need not wait for a TCP and TLS handshake before its first word.
 */
import { NodeHttp2Handler } from "@smithy/node-http-handler";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { BedrockModel, type Model } from "@strands-agents/sdk";

/** An idle connection is given up sooner than NAT gateways forget it (350 s: AWS VPC guide, "NAT gateways"). */
const IDLE_CONNECTION_MS = 120_000;
/** Strands' own default: the longest silence of a stream that has not ended. */
const SILENT_STREAM_MS = 120_000;
/** The SDK's own, named here because Strands' retries (six, from 4 s up) are switched off: a listener is waiting. */
const ATTEMPTS_MAX = 3;

export interface BedrockOptions {
  readonly region: string;
  readonly modelId: string;
}

/**
 * AWS_ENDPOINT_URL_BEDROCK_RUNTIME is read by the SDK itself.
 * @param credentials asked when the first turn needs them, not before.
 */
export function createBedrockModel(
  { region, modelId }: BedrockOptions,
  credentials: AwsCredentialIdentityProvider,
): Model {
  return new BedrockModel({
    region,
    modelId,
    clientConfig: { credentials, requestHandler: new SharedConnectionHandler(), maxAttempts: ATTEMPTS_MAX },
  });
}

/**
 * The SDK opens a connection of its own for every call whose answer is an event stream (@smithy/core 3.41.1,
 * `smithy-client/command.js` sets `isEventStream`; @smithy/node-http-handler 4.14.2 then isolates the session).
 * ConverseStream's request is an ordinary one, so it may share: the flag is taken off.
 */
class SharedConnectionHandler extends NodeHttp2Handler {
  constructor() {
    super({ requestTimeout: SILENT_STREAM_MS, sessionTimeout: IDLE_CONNECTION_MS });
  }

  override handle(
    request: Parameters<NodeHttp2Handler["handle"]>[0],
    options: Parameters<NodeHttp2Handler["handle"]>[1] = {},
  ): ReturnType<NodeHttp2Handler["handle"]> {
    return super.handle(request, { ...options, isEventStream: false } as typeof options);
  }
}
