/**
 * The agent's true surroundings for its integration tests, each a process of its own on loopback: the agent, the
 * SageMaker and Bedrock stand-ins, and the TTS container with the fake engine. Bedrock alone runs in the test's
 * process, so that its counts can be read.
 */
import { fileURLToPath } from "node:url";
import { LOCAL_CREDENTIALS } from "../../lib/config/names.ts";
import {
  type BedrockStandInOptions,
  type RunningBedrockStandIn,
  startBedrockStandIn,
} from "../../lib/local/bedrock-stand-in.ts";
import { Service } from "../../lib/local/child-process.ts";
import type { ServiceLog } from "../../lib/local/child-process-log.ts";
import { type RunningStandIn, startSageMakerFrontDoor } from "../../lib/local/sagemaker-front-door.ts";
import type { FakeSynthesizerOptions } from "../helpers/fake-synthesizer.ts";

const AGENT_MAIN = fileURLToPath(new URL("../../container/agent/main.ts", import.meta.url));
const TTS_MAIN = fileURLToPath(new URL("../helpers/fake-tts-container.ts", import.meta.url));
export const ENDPOINT = "speech-kokoro-82m";

export interface AgentSystemOptions {
  readonly bedrock?: Partial<BedrockStandInOptions>;
  readonly tts?: FakeSynthesizerOptions;
  readonly agentEnv?: Readonly<Record<string, string | undefined>>;
}

export interface AgentSystem {
  readonly agentUrl: URL;
  readonly agent: Service;
  readonly bedrock: RunningBedrockStandIn;
  readonly tts: Service;
  /** Log lines so far, of the agent and of the TTS container. */
  readonly agentLog: ServiceLog[];
  readonly ttsLog: ServiceLog[];
  stop(): Promise<void>;
}

export async function startAgentSystem(options: AgentSystemOptions = {}): Promise<AgentSystem> {
  const agentLog: ServiceLog[] = [];
  const ttsLog: ServiceLog[] = [];
  const tts = new Service({
    title: "the TTS container",
    file: TTS_MAIN,
    args: [JSON.stringify(options.tts ?? {})],
    env: { PATH: process.env.PATH },
    onLog: (_title, line) => ttsLog.push(line),
  });
  const bedrock = await startBedrockStandIn({
    host: "127.0.0.1",
    port: 0,
    firstTokenMs: 20,
    tokensPerSecond: 200,
    ...options.bedrock,
  });
  const ttsAt = await tts.listening;
  const frontDoor: RunningStandIn = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { [ENDPOINT]: `http://127.0.0.1:${ttsAt.port}` },
    secretFor: (id) => (id === LOCAL_CREDENTIALS.accessKeyId ? LOCAL_CREDENTIALS.secretAccessKey : undefined),
  });
  const agent = new Service({
    title: "the agent",
    file: AGENT_MAIN,
    args: ["serve"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.url,
      SPEECH_ENDPOINT_NAME: ENDPOINT,
      SPEECH_ENDPOINT_URL: frontDoor.url,
      BEDROCK_MODEL_ID: "local.stand-in-v1",
      ...options.agentEnv,
    },
    onLog: (_title, line) => agentLog.push(line),
  });
  const { host, port } = await agent.listening;
  return {
    agentUrl: new URL(`http://${host}:${port}`),
    agent,
    bedrock,
    tts,
    agentLog,
    ttsLog,
    async stop() {
      await agent.stop();
      await Promise.all([tts.stop(), frontDoor.close(), bedrock.close()]);
    },
  };
}
