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
  /** Of an error met on a connection: the death of the server started here when that was the reason. */
  explain(error: unknown): Promise<unknown>;
}

/** What lives elsewhere explains its errors itself. */
const NOT_OURS = { explain: async (error: unknown) => error, [Symbol.asyncDispose]: async () => {} };

export async function openSpeech(options: SpeechSourceOptions, context: CliContext): Promise<SpeechSource> {
  if (options.endpointUrl !== undefined) return runningServer(options.endpointUrl, context.signal);
  if (options.speechEndpoint !== undefined) return deployedEndpoint(options.speechEndpoint, options, context);
  return localServer(options, context);
}

async function runningServer(endpointUrl: string, signal: AbortSignal): Promise<SpeechSource> {
  const url = requireHttpUrl("--endpoint-url", endpointUrl);
  await requireReachable("--endpoint-url", url, "speech-infra serve", signal);
  return { connect: () => connectWebSocket({ url, signal }), signal, ...NOT_OURS };
}

async function deployedEndpoint(
  endpointName: string,
  options: SpeechSourceOptions,
  { env, signal }: CliContext,
): Promise<SpeechSource> {
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
  await credentials(); // what is missing is told before anything is sent
  return {
    connect: () => connectSageMaker({ endpoint, credentials, signal }),
    signal,
    ...NOT_OURS,
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
    explain: (error) => system.explain(error),
    [Symbol.asyncDispose]: () => system.stop(),
  };
}
