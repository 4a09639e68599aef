/**
 * What a deployment is called, in one place: stacks, templates, commands and the emulator's tests spell alike. A stage
 * puts a prefix before every name, so that two people can share an account; the stage `main` has none. (As a suffix,
 * kokoro-82m in the stage `cpu` would be kokoro-82m-cpu.)
 */
import { SpeechError } from "../errors.ts";
import type { SpeechModelId } from "./speech-catalog.ts";

export const STAGE_DEFAULT = "main";
/** Short enough for the longest name that it is part of: a bucket's, 63 characters with account and region. */
const STAGE_PATTERN = /^[a-z][a-z0-9]{0,7}$/;

/** @throws {SpeechError} CONFIGURATION */
export function requireStage(stage: string): string {
  if (STAGE_PATTERN.test(stage)) return stage;
  throw new SpeechError(
    "CONFIGURATION",
    `--stage must be 1 to 8 lower-case letters and digits that begin with a letter, got "${stage.slice(0, 60)}"`,
  );
}

/** `speech-kokoro-82m`, `dev-speech-kokoro-82m` */
function staged(name: string, stage: string): string {
  return stage === STAGE_DEFAULT ? name : `${stage}-${name}`;
}

export interface SpeechNames {
  readonly stage: string;
  readonly modelId: SpeechModelId;
  /** Stacks in the order of deployment. */
  readonly stacks: { readonly foundation: string; readonly modelCache: string; readonly endpoint: string };
  readonly endpoint: string;
  readonly variant: string;
  readonly repository: string;
  readonly buildProject: string;
  /** Written by SageMaker itself; the name is not ours to choose. */
  readonly logGroup: string;
  readonly buildLogGroup: string;
}

export function speechNames(modelId: SpeechModelId, stage: string): SpeechNames {
  const base = staged(`speech-${modelId}`, stage);
  return {
    stage,
    modelId,
    stacks: {
      foundation: `${base}-foundation`,
      modelCache: `${base}-model-cache`,
      endpoint: `${base}-endpoint`,
    },
    endpoint: base,
    variant: "main",
    repository: base,
    buildProject: `${base}-image`,
    logGroup: `/aws/sagemaker/Endpoints/${base}`,
    buildLogGroup: `/aws/codebuild/${base}-image`,
  };
}

/** Bucket names are one space for the whole partition: the account and region make them ours. */
export function modelBucketName(names: SpeechNames, account: string, region: string): string {
  return `${names.endpoint}-${account}-${region}`;
}

/** Source zips for CodeBuild lie in the bucket of the side that builds. */
export function buildBucketName(repository: string, account: string, region: string): string {
  return `${repository}-src-${account}-${region}`;
}

export interface AgentNames {
  readonly stage: string;
  readonly stacks: { readonly foundation: string; readonly runtime: string };
  /** `[a-zA-Z][a-zA-Z0-9_]{0,47}`: AgentCore takes no hyphen. */
  readonly runtime: string;
  readonly runtimeEndpoint: string;
  readonly repository: string;
  readonly buildProject: string;
  readonly buildLogGroup: string;
}

export function agentNames(stage: string): AgentNames {
  const base = staged("voice-agent", stage);
  return {
    stage,
    stacks: { foundation: `${base}-foundation`, runtime: `${base}-runtime` },
    runtime: base.replaceAll("-", "_"),
    runtimeEndpoint: "live",
    repository: base,
    buildProject: `${base}-image`,
    buildLogGroup: `/aws/codebuild/${base}-image`,
  };
}

/**
 * AgentCore's choice: one log group for each endpoint of a runtime. A runtime's id is its name, a hyphen and ten random
 * characters, so what begins with `<runtime name>-` is one runtime's and its forerunners'.
 */
export function runtimeLogGroup(runtimeIdAndEndpoint: string): string {
  return `/aws/bedrock-agentcore/runtimes/${runtimeIdAndEndpoint}`;
}

/** Keys of the stacks' outputs, which the commands read. */
export const OUTPUTS = {
  repositoryUri: "RepositoryUri",
  buildProject: "BuildProject",
  buildBucket: "BuildBucket",
  executionRoleArn: "ExecutionRoleArn",
  modelBucket: "ModelBucket",
  modelPrefix: "ModelPrefix",
  endpointName: "EndpointName",
  endpointConfigHash: "EndpointConfigHash",
  imageUri: "ImageUri",
  runtimeArn: "RuntimeArn",
  runtimeId: "RuntimeId",
  runtimeEndpointName: "RuntimeEndpointName",
  /** In the agent's stack: what it speaks with, so that `speech-infra destroy` sees who uses an endpoint. */
  speechEndpointName: "SpeechEndpointName",
  bedrockModelId: "BedrockModelId",
} as const;

/** Every resource carries these; `destroy` deletes only what does. */
export const TAGS = {
  productKey: "product",
  product: "kokoro-agent-voice",
  stageKey: "kokoro-agent-voice:stage",
} as const;
