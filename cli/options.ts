/** Flags that several commands share, each with one wording, one range and one default. */
import { type Command, Option } from "commander";
import { requireStage, STAGE_DEFAULT } from "../lib/config/deployment-names.ts";
import { SpeechError } from "../lib/errors.ts";
import { AGENT_MODES, type AgentMode } from "../lib/protocol/agent-events.ts";
import { SPEED_DEFAULT, SPEED_MAX, SPEED_MIN, VOICE_DEFAULT } from "../lib/protocol/limits.ts";

export const voiceOption = () =>
  new Option(
    "--voice <name>",
    "voice that speaks, or a blend such as af_bella(2)+af_sky(1); `speech-infra voices` lists them",
  ).default(VOICE_DEFAULT);

export const speedOption = () =>
  new Option("--speed <factor>", `${SPEED_MIN} (slow) to ${SPEED_MAX} (fast)`)
    .default(SPEED_DEFAULT)
    .argParser(numberParser("--speed", SPEED_MIN, SPEED_MAX));

export const jsonOption = () => new Option("--json", "print one JSON object and nothing else").default(false);

export const regionOption = () =>
  new Option("--region <name>", "AWS region; else AWS_REGION, else the profile's");

export const profileOption = () =>
  new Option("--profile <name>", "AWS profile whose credentials are used; else AWS_PROFILE");

export const stageOption = () =>
  new Option("--stage <name>", "deployment of its own beside others in the account, e.g. dev")
    .default(STAGE_DEFAULT)
    .argParser(requireStage);

/** Of the commands that ask nothing, so that a script gives every command the same flags. */
export const unaskedOption = () =>
  new Option("--yes", "taken by every command; this one asks nothing anyway").default(false);

/** Of every command that asks AWS. */
export const awsOptions = () => [
  stageOption(),
  regionOption(),
  profileOption(),
  unaskedOption(),
  jsonOption(),
];

export const speechEndpointOption = () =>
  new Option("--speech-endpoint <name>", "a deployed SageMaker endpoint instead of speech on this machine");

export const hostOption = () =>
  new Option("--host <address>", "address to listen on; anyone who reaches it may use it").default(
    "127.0.0.1",
  );

export const verboseOption = () =>
  new Option("--verbose", "show what the started parts log, on stderr").default(false);

/** The agent's language model: the stand-in and its pace, or a real one. */
export const languageModelOptions = () => [
  new Option("--bedrock-model-id <id>", "a real Amazon Bedrock model instead of the stand-in").conflicts([
    "answerFile",
    "bedrockPort",
    "firstTokenMs",
    "tokensPerSecond",
  ]),
  new Option("--answer-file <file>", "the stand-in's answer, as plain text; else a built-in one"),
  portOption("--bedrock-port", "port of the stand-in; 0 = any free one", 0),
  new Option("--first-token-ms <ms>", "the stand-in's time to its first token")
    .default(500)
    .argParser(integerParser("--first-token-ms", 0, 60_000)),
  new Option("--tokens-per-second <n>", "the stand-in's pace")
    .default(50)
    .argParser(numberParser("--tokens-per-second", 0.1, 10_000)),
];

/** In the order in which help shows them. */
export function addOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** 0 lets the system choose a free one. */
export const portOption = (flag: string, what: string, port: number) =>
  new Option(`${flag} <port>`, what).default(port).argParser(integerParser(flag, 0, 65_535));

/** @param min inclusive @param max inclusive */
export function integerParser(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw wrongValue(flag, `a whole number from ${min} to ${max}`, text);
    }
    return value;
  };
}

/** @param min inclusive @param max inclusive */
export function numberParser(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!(value >= min && value <= max)) throw wrongValue(flag, `a number from ${min} to ${max}`, text);
    return value;
  };
}

/** Something to say: not empty, not white space alone. */
export function wordsParser(flag: string): (text: string) => string {
  return (text) => {
    if (text.trim() === "") throw wrongValue(flag, "a text that is not empty", text);
    return text;
  };
}

/** `bidi,batch` -> modes in the order given, each once. */
export function modesParser(text: string): AgentMode[] {
  const names = text.split(",").map((name) => name.trim());
  const known: readonly string[] = AGENT_MODES;
  if (names.some((name) => !known.includes(name))) {
    throw wrongValue("--modes", `one or more of ${AGENT_MODES.join(", ")} with commas between`, text);
  }
  return [...new Set(names)] as AgentMode[];
}

/** @throws {SpeechError} CONFIGURATION */
export function requireHttpUrl(flag: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw wrongValue(flag, "a URL such as http://127.0.0.1:8080", text);
}

function wrongValue(flag: string, allowed: string, got: string): SpeechError {
  return new SpeechError("CONFIGURATION", `${flag} must be ${allowed}, got "${got.slice(0, 60)}"`);
}
