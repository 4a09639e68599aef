/** What a person chooses about an agent's deployment, and the app that follows from it. */
import { type AgentAppProps, agentApp } from "../../../stacks/agent-app.ts";
import { requireStage, speechNames } from "../../config/deployment-names.ts";
import { requireSpeechModel, type SpeechModelId } from "../../config/speech-catalog.ts";
import { addedFlags } from "../command-words.ts";
import type { BuildWay } from "../images/image.ts";
import type { AppPlace } from "../speech/speech-choice.ts";
import type { NextCommands } from "../stack-session.ts";

export interface AgentChoice {
  readonly stage: string;
  readonly bedrockModelId: string;
  readonly speechEndpointName: string;
  /** @default "auto" */
  readonly build?: BuildWay | undefined;
  /** A foreign image instead of one that is built. */
  readonly imageUri?: string | undefined;
  readonly options: NonNullable<AgentAppProps["options"]>;
}

export const SPEECH_MODEL_DEFAULT: SpeechModelId = "kokoro-82m";

/** The endpoint by its own name, or the one of a model in the same stage. @throws {SpeechError} CONFIGURATION */
export function speechEndpointOf({
  stage,
  speechEndpoint,
  speechModel = SPEECH_MODEL_DEFAULT,
}: {
  readonly stage: string;
  readonly speechEndpoint?: string | undefined;
  readonly speechModel?: string | undefined;
}): string {
  return speechEndpoint ?? speechNames(requireSpeechModel(speechModel).id, requireStage(stage)).endpoint;
}

/** @param imageTag undefined with a foreign image. */
export function buildAgentApp(
  { stage, bedrockModelId, speechEndpointName, imageUri, options }: AgentChoice,
  imageTag: string | undefined,
  place: AppPlace,
  outdir?: string,
  context?: Record<string, unknown>,
): ReturnType<typeof agentApp> {
  return agentApp({
    stage,
    bedrockModelId,
    speechEndpointName,
    options,
    ...place,
    ...(imageUri === undefined ? { imageTag: imageTag! } : { imageUri }),
    ...(outdir !== undefined && { outdir }),
    ...(context !== undefined && { context }),
  });
}

export function agentCommands({ stage, bedrockModelId }: AgentChoice): NextCommands {
  return {
    deployCommand: `agent-infra deploy --bedrock-model-id ${bedrockModelId}${addedFlags(stage)}`,
    destroyCommand: `agent-infra destroy${addedFlags(stage)}`,
  };
}
