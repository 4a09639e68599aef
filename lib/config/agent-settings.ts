/**
 * Settings of the agent container, one environment variable each. AWS_ENDPOINT_URL_BEDROCK_RUNTIME and the
 * credentials are not here: the AWS SDK reads those itself, so that every way of giving them works.
 */
import { SpeechError } from "../errors.ts";
import { type Environment, integerSetting, processEnvironment, stringSetting } from "./environment.ts";

/** Port that AgentCore Runtime's service contract fixes for a container. */
const AGENT_PORT = 8080;
export const SPEECH_ENDPOINT_NAME_DEFAULT = "speech-kokoro-82m";
/** A small, quick model: its first word is awaited by a listener. The profile serves every commercial region. */
export const BEDROCK_MODEL_ID_DEFAULT = "global.anthropic.claude-haiku-4-5-20251001-v1:0";
/** Written for ears: a voice reads markup, lists and emoji aloud or stumbles over them. */
export const AGENT_SYSTEM_PROMPT_DEFAULT =
  "You are a voice assistant: your answer is spoken aloud. Answer in plain, complete sentences, the important " +
  "one first, and keep it short unless asked for more. Use no markdown, lists, tables, code, emoji or links; " +
  "write numbers and abbreviations the way they are said.";

export interface AgentSettings {
  /** 0 = any free port. */
  readonly port: number;
  readonly host: string;
  readonly region: string;
  readonly speechEndpointName: string;
  /** Stands in for the SageMaker runtime, both for the bidirectional stream and for `/invocations`. */
  readonly speechEndpointUrl: string | undefined;
  readonly bedrockModelId: string;
  readonly systemPrompt: string;
  /** Most runtime sessions whose conversation is kept; the longest idle one gives way. */
  readonly sessionsMax: number;
  /** The first piece of an answer may end at a clause once its sentence is this long; 0 = at its end only. */
  readonly firstPieceChars: number;
  /** After so long a silence of the language model a finished clause is spoken; 0 = never. */
  readonly stallMs: number;
}

/** @throws {SpeechError} CONFIGURATION that names the variable, the value got and what is allowed. */
export function readAgentSettings(env: Environment = processEnvironment()): AgentSettings {
  return {
    port: integerSetting(env, "PORT", AGENT_PORT, 0, 65_535),
    host: stringSetting(env, "HOST", "127.0.0.1"),
    region: regionSetting(env),
    speechEndpointName: stringSetting(env, "SPEECH_ENDPOINT_NAME", SPEECH_ENDPOINT_NAME_DEFAULT),
    speechEndpointUrl: urlSetting(env, "SPEECH_ENDPOINT_URL"),
    bedrockModelId: stringSetting(env, "BEDROCK_MODEL_ID", BEDROCK_MODEL_ID_DEFAULT),
    systemPrompt: stringSetting(env, "AGENT_SYSTEM_PROMPT", AGENT_SYSTEM_PROMPT_DEFAULT),
    sessionsMax: integerSetting(env, "AGENT_SESSIONS_MAX", 100, 1, 10_000),
    firstPieceChars: integerSetting(env, "AGENT_FIRST_PIECE_CHARS", 0, 0, 400),
    stallMs: integerSetting(env, "AGENT_STALL_MS", 0, 0, 60_000),
  };
}

/** No default: a region guessed would send the caller's words to a place nobody chose. */
function regionSetting(env: Environment): string {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (!region)
    throw new SpeechError("CONFIGURATION", "AWS_REGION is not set; set it, e.g. AWS_REGION=us-east-1");
  return region;
}

function urlSetting(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new SpeechError(
      "CONFIGURATION",
      `${name} must be an http or https URL such as http://127.0.0.1:9001, got "${text}"`,
    );
  }
  return text.replace(/\/+$/, "");
}
