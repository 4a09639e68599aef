/** What a person chooses about a speech deployment, and the app that follows from it. */

import { type SpeechAppProps, speechApp } from "../../../stacks/speech-app.ts";
import { requireStage, type SpeechNames, speechNames } from "../../config/deployment-names.ts";
import { instanceBounds, requireSpeechModel, type SpeechCatalogEntry } from "../../config/speech-catalog.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { accountFlags, addedFlags, flags } from "../command-words.ts";
import type { BuildWay } from "../images/image.ts";
import type { NextCommands } from "../stack-session.ts";

export interface SpeechChoice {
  readonly modelId: string;
  readonly stage: string;
  readonly instanceType?: string | undefined;
  readonly minInstances?: number | undefined;
  readonly maxInstances?: number | undefined;
  readonly scaleOn?: "concurrency" | "invocations" | undefined;
  /** @default "auto" */
  readonly build?: BuildWay | undefined;
  /** A foreign image instead of one that is built. */
  readonly imageUri?: string | undefined;
  readonly options: NonNullable<SpeechAppProps["options"]>;
}

export interface SpeechTarget {
  readonly names: SpeechNames;
  readonly model: SpeechCatalogEntry;
  readonly instanceType: string;
  readonly minInstances: number;
  readonly maxInstances: number;
}

/** @throws {SpeechError} CONFIGURATION for a stage or model that cannot be. */
export function speechTarget(choice: SpeechChoice): SpeechTarget {
  const { modelId, stage, instanceType } = choice;
  const model = requireSpeechModel(modelId);
  return {
    model,
    names: speechNames(model.id, requireStage(stage)),
    instanceType: instanceType ?? model.instanceType,
    ...instanceBounds(choice),
  };
}

export interface AppPlace {
  readonly account?: string;
  readonly region?: string;
}

/** What follows from content: the image's source, the weights. */
export interface SpeechContent {
  /** undefined with a foreign image. */
  readonly imageTag?: string | undefined;
  /** @default the stacks' own, for templates that are only looked at. */
  readonly modelPrefix?: string | undefined;
}

export function buildSpeechApp(
  choice: SpeechChoice,
  { imageTag, modelPrefix }: SpeechContent,
  place: AppPlace,
  outdir?: string,
  context?: Record<string, unknown>,
): ReturnType<typeof speechApp> {
  const { modelId, stage, instanceType, minInstances, maxInstances, scaleOn, imageUri, options } = choice;
  return speechApp({
    modelId,
    stage,
    options,
    ...place,
    ...(imageUri === undefined ? { imageTag: imageTag! } : { imageUri }),
    ...(modelPrefix !== undefined && { modelPrefix }),
    ...(instanceType !== undefined && { instanceType }),
    ...(minInstances !== undefined && { minInstances }),
    ...(maxInstances !== undefined && { maxInstances }),
    ...(scaleOn !== undefined && { scaleOn }),
    ...(outdir !== undefined && { outdir }),
    ...(context !== undefined && { context }),
  });
}

/** The deploy command repeats every choice: without one of its flags it would change what is deployed. */
export function speechCommands(choice: SpeechChoice, { chosen }: AwsPlace): NextCommands {
  const { modelId, stage, build, scaleOn, imageUri, options } = choice;
  const where = addedFlags(stage, chosen);
  const chosenFlags = flags({
    "--instance-type": choice.instanceType,
    "--min": choice.minInstances,
    "--max": choice.maxInstances,
    "--scale-on": scaleOn === "invocations" ? scaleOn : undefined,
    "--build": build === "auto" || imageUri !== undefined ? undefined : build,
    "--image-uri": imageUri,
  });
  return {
    deployCommand: `speech-infra deploy ${modelId}${where}${chosenFlags}${accountFlags(options)}`,
    destroyCommand: `speech-infra destroy ${modelId}${where}${flags({ "--qualifier": options.qualifier })}`,
  };
}
