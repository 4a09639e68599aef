/**
 * How each part of the local system is started: its file, its arguments, its environment. The containers get the
 * same variables that an image gives them; the stand-ins are options in, nothing else.
 */
import { fileURLToPath } from "node:url";
import type { Environment } from "../config/environment.ts";
import { LOCAL_CREDENTIALS, LOCAL_LANGUAGE_MODEL_ID, LOCAL_REGION } from "../config/names.ts";
import { Service, type ServiceOptions } from "./child-process.ts";

export interface ServiceContext {
  /** What each part inherits; its own variables come on top. */
  readonly env: Environment;
  readonly onLog?: ServiceOptions["onLog"];
}

/** Where a part listens. */
export interface ServicePort {
  readonly host?: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Flag that chose the port, for the message when it is taken. */
  readonly portFlag?: string;
}

export interface LanguageModelOptions extends ServicePort {
  readonly firstTokenMs?: number;
  readonly tokensPerSecond?: number;
  /** File whose text is the answer to every prompt. */
  readonly answerFile?: string;
}

export interface AgentServiceOptions extends ServicePort {
  readonly speechEndpointName: string;
  /** SageMaker's stand-in; absent: the real service. */
  readonly frontDoorUrl?: string | undefined;
  /** Bedrock's stand-in; absent: the real service. */
  readonly languageModelUrl?: string | undefined;
  readonly bedrockModelId?: string;
}

const LOOPBACK = "127.0.0.1";
const TTS_MAIN = fileURLToPath(new URL("../../container/tts/main.ts", import.meta.url));
const AGENT_MAIN = fileURLToPath(new URL("../../container/agent/main.ts", import.meta.url));
const STAND_IN_MAIN = fileURLToPath(new URL("./child.ts", import.meta.url));
/**
 * Streaming base64 audio fills V8's young generation, which by default grows to 48 MiB and more and is kept: the
 * agent then holds 280 MB after 300 turns, with this 168 MB (Node 24.21, two cores). Only a flag at the start works.
 */
const AGENT_NODE_FLAGS = ["--max-semi-space-size=8"];

export function startTtsService(
  context: ServiceContext,
  options: ServicePort & { readonly modelDir: string },
): Service {
  return start(context, options, {
    title: "the TTS container",
    file: TTS_MAIN,
    args: ["serve"],
    env: { ...place(options), KOKORO_MODEL_DIR: options.modelDir },
  });
}

export function startAgentService(context: ServiceContext, options: AgentServiceOptions): Service {
  const { frontDoorUrl, languageModelUrl, speechEndpointName, bedrockModelId } = options;
  // Nothing of AWS is reached: the dummies sign, and no profile of this machine is touched.
  const isLocal = frontDoorUrl !== undefined && languageModelUrl !== undefined;
  return start(context, options, {
    title: "the agent",
    file: AGENT_MAIN,
    args: ["serve"],
    nodeFlags: AGENT_NODE_FLAGS,
    env: {
      ...place(options),
      SPEECH_ENDPOINT_NAME: speechEndpointName,
      // What is not started here stays as the environment has it.
      ...(frontDoorUrl && { SPEECH_ENDPOINT_URL: frontDoorUrl }),
      ...(languageModelUrl && {
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: languageModelUrl,
        BEDROCK_MODEL_ID: LOCAL_LANGUAGE_MODEL_ID,
      }),
      ...(bedrockModelId && { BEDROCK_MODEL_ID: bedrockModelId }),
      ...(isLocal && LOCAL_AWS_ENVIRONMENT),
    },
  });
}

export function startFrontDoorService(
  context: ServiceContext,
  options: ServicePort & { readonly endpointName: string; readonly ttsUrl: string },
): Service {
  return start(context, options, {
    title: "the SageMaker front door",
    file: STAND_IN_MAIN,
    args: [
      "front-door",
      JSON.stringify({
        host: options.host ?? LOOPBACK,
        port: options.port,
        endpoints: { [options.endpointName]: options.ttsUrl },
      }),
    ],
    env: {},
  });
}

export function startLanguageModelService(context: ServiceContext, options: LanguageModelOptions): Service {
  const { port, firstTokenMs, tokensPerSecond, answerFile } = options;
  return start(context, options, {
    title: "the Bedrock stand-in",
    file: STAND_IN_MAIN,
    args: ["bedrock", JSON.stringify({ host: LOOPBACK, port, firstTokenMs, tokensPerSecond, answerFile })],
    env: {},
  });
}

const LOCAL_AWS_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_REGION: LOCAL_REGION,
};

function place({ host, port }: ServicePort): Record<string, string> {
  return { HOST: host ?? LOOPBACK, PORT: String(port) };
}

function start(
  { env, onLog }: ServiceContext,
  { host = LOOPBACK, port, portFlag }: ServicePort,
  service: Pick<ServiceOptions, "title" | "file" | "args" | "env" | "nodeFlags">,
): Service {
  return new Service({
    ...service,
    env: { ...env, ...service.env },
    place: { host, port, ...(portFlag && { portFlag }) },
    ...(onLog && { onLog }),
  });
}
