/** The speech server `say` talks to: one that runs, a deployed SageMaker endpoint, or one started here. */
import { awsCredentials } from "../../lib/client/sagemaker/credentials.ts";
import { resolveSpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { connectSageMaker } from "../../lib/client/sagemaker/sagemaker-transport.ts";
import type { SpeechTransport } from "../../lib/client/transport.ts";
import { connectWebSocket } from "../../lib/client/websocket-transport.ts";
import { applyAwsSelection, readCliSettings } from "../../lib/config/cli-settings.ts";
import { SpeechError } from "../../lib/errors.ts";
import { startLocalSystem } from "../../lib/local/local-system.ts";
import { modelDirFinder } from "../model-dir.ts";
import { requireHttpUrl } from "../options.ts";
import { requireReachable } from "../reachable.ts";
import type { CliContext } from "../run.ts";
import { showServiceLog } from "../service-log.ts";

export interface SpeechSourceOptions {
  readonly endpointUrl?: string;
  readonly speechEndpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly verbose: boolean;
}

export interface SpeechSource extends AsyncDisposable {
  /** A new connection for one session. */
  connect(): SpeechTransport;
  /** Aborted by the user, or with its reason when the server started here ends. */
  readonly signal: AbortSignal;
}

export async function openSpeech(options: SpeechSourceOptions, context: CliContext): Promise<SpeechSource> {
  if (options.endpointUrl !== undefined) return runningServer(options.endpointUrl, context.signal);
  if (options.speechEndpoint !== undefined) return deployedEndpoint(options.speechEndpoint, options, context);
  return localServer(options, context);
}

async function runningServer(endpointUrl: string, signal: AbortSignal): Promise<SpeechSource> {
  const url = requireHttpUrl("--endpoint-url", endpointUrl);
  await requireReachable("--endpoint-url", url, "speech-infra serve", signal);
  return { connect: () => connectWebSocket({ url, signal }), signal, [Symbol.asyncDispose]: async () => {} };
}

function deployedEndpoint(
  endpointName: string,
  options: SpeechSourceOptions,
  { env, signal }: CliContext,
): SpeechSource {
  const { region, speechEndpointUrl } = readCliSettings(applyAwsSelection(options, env));
  if (region === undefined) {
    throw new SpeechError("CONFIGURATION", "no AWS region is chosen; give --region or set AWS_REGION");
  }
  const endpoint = resolveSpeechEndpoint({
    endpointName,
    region,
    ...(speechEndpointUrl !== undefined && { overrideUrl: speechEndpointUrl }),
  });
  const credentials = awsCredentials();
  return {
    connect: () => connectSageMaker({ endpoint, credentials, signal }),
    signal,
    [Symbol.asyncDispose]: async () => {},
  };
}

async function localServer(options: SpeechSourceOptions, context: CliContext): Promise<SpeechSource> {
  const { output, env, signal } = context;
  output.status("Starting the speech server ...");
  const system = await startLocalSystem({
    env,
    signal,
    modelDir: modelDirFinder(output),
    ...(options.verbose && { onLog: showServiceLog(output) }),
  });
  const eitherSignal = AbortSignal.any([signal, system.failure]);
  return {
    connect: () => connectWebSocket({ url: new URL(system.urls.tts!), signal: eitherSignal }),
    signal: eitherSignal,
    [Symbol.asyncDispose]: () => system.stop(),
  };
}
