/** What a person chooses about an agent's deployment, and the app that follows from it. */
import { type AgentAppProps, agentApp } from "../../../stacks/agent-app.ts";
import { requireStage, speechNames } from "../../config/deployment-names.ts";
import { requireSpeechModel, type SpeechModelId } from "../../config/speech-catalog.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { accountFlags, addedFlags, flags } from "../command-words.ts";
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

/** The deploy command repeats every choice: without one of its flags it would change what is deployed. */
export function agentCommands(choice: AgentChoice, { chosen }: AwsPlace): NextCommands {
  const { stage, bedrockModelId, speechEndpointName, build, imageUri, options } = choice;
  const where = addedFlags(stage, chosen);
  const chosenFlags = flags({
    "--speech-endpoint": speechEndpointName === speechEndpointOf({ stage }) ? undefined : speechEndpointName,
    "--build": build === "auto" || imageUri !== undefined ? undefined : build,
    "--image-uri": imageUri,
  });
  return {
    deployCommand: `agent-infra deploy --bedrock-model-id ${bedrockModelId}${where}${chosenFlags}${accountFlags(options)}`,
    destroyCommand: `agent-infra destroy${where}${flags({ "--qualifier": options.qualifier })}`,
  };
}
