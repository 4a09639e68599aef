/**
 * The agent on this machine with as much of AWS as was asked for: speech here or a deployed endpoint, the stand-in
 * or a real Bedrock model. Shared by `demo` and `serve`.
 */
import { readFile } from "node:fs/promises";
import { awsCredentials } from "../../lib/client/sagemaker/credentials.ts";
import { SPEECH_ENDPOINT_NAME_DEFAULT } from "../../lib/config/agent-settings.ts";
import { applyAwsSelection, readCliSettings } from "../../lib/config/cli-settings.ts";
import type { Environment } from "../../lib/config/environment.ts";
import { SpeechError } from "../../lib/errors.ts";
import type { ServicePort } from "../../lib/local/local-services.ts";
import { type LocalSystem, startLocalSystem } from "../../lib/local/local-system.ts";
import { fileError } from "../file-error.ts";
import { modelDirFinder } from "../model-dir.ts";
import type { CliContext } from "../run.ts";
import { showServiceLog } from "../service-log.ts";

export interface AgentSystemOptions {
  readonly bedrockModelId?: string;
  readonly bedrockPort: number;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  readonly answerFile?: string;
  readonly speechEndpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly verbose: boolean;
}

/** @throws {SpeechError} what could not be started, and why; nothing is left running then. */
export async function startLocalAgent(
  options: AgentSystemOptions,
  place: ServicePort,
  context: CliContext,
): Promise<LocalSystem> {
  const { output, signal } = context;
  const { bedrockModelId, speechEndpoint } = options;
  if (options.answerFile !== undefined) await requireText(options.answerFile);
  const endpointName = speechEndpoint ?? SPEECH_ENDPOINT_NAME_DEFAULT;
  const selected = applyAwsSelection(options, context.env);
  const usesAws = bedrockModelId !== undefined || speechEndpoint !== undefined;
  const env = usesAws ? await awsEnvironment(selected) : selected;
  output.status("Starting ...");
  return startLocalSystem({
    env,
    signal,
    ...(speechEndpoint === undefined && {
      modelDir: modelDirFinder(output),
      frontDoor: { port: 0, endpointName },
    }),
    ...(bedrockModelId === undefined && {
      languageModel: {
        port: options.bedrockPort,
        portFlag: "--bedrock-port",
        firstTokenMs: options.firstTokenMs,
        tokensPerSecond: options.tokensPerSecond,
        ...(options.answerFile !== undefined && { answerFile: options.answerFile }),
      },
    }),
    agent: {
      ...place,
      speechEndpointName: endpointName,
      ...(bedrockModelId !== undefined && { bedrockModelId }),
    },
    onReady: (title) => output.status(`Starting: ${title} is ready ...`),
    ...(options.verbose && { onLog: showServiceLog(output) }),
  });
}

/**
 * One set of credentials for the agent and the stand-in that checks its signatures; what is missing is told before
 * anything starts. The set is not renewed: it lasts as long as its kind does, an hour at least.
 * @throws {SpeechError} CONFIGURATION
 */
async function awsEnvironment(env: Environment): Promise<Environment> {
  const { region } = readCliSettings(env);
  if (region === undefined) {
    throw new SpeechError("CONFIGURATION", "no AWS region is chosen; give --region or set AWS_REGION");
  }
  const { accessKeyId, secretAccessKey, sessionToken } = await awsCredentials()();
  return {
    ...env,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_PROFILE: undefined,
  };
}

/** Refused here, before anything starts, rather than by a child later. */
async function requireText(path: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw fileError("read", path, cause, "give --answer-file a text file");
  }
  if (text.trim() === "") {
    throw new SpeechError("CONFIGURATION", `--answer-file must hold the answer as text, ${path} is empty`);
  }
}
