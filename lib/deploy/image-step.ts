/** The image as a step: checked, whoever made it, before anything runs it. */
import { OUTPUTS } from "../config/deployment-names.ts";
import type { StackOutputs } from "./deployed-step.ts";
import { type BuildWay, checkForeignImage, ensureImage } from "./images/image.ts";
import type { ImageName, ImageVariant } from "./images/image-definition.ts";
import type { Operation } from "./stack-session.ts";
import type { Product } from "./steps.ts";

export interface ImageStepChoice {
  readonly image: ImageName;
  readonly variant: ImageVariant;
  readonly repository: string;
  /** @default "auto" */
  readonly build?: BuildWay | undefined;
  readonly imageUri?: string | undefined;
}

/** @param foundation outputs of the foundation stack. @returns the image's URI. */
export async function imageStep(
  { image, variant, repository, build = "auto", imageUri }: ImageStepChoice,
  foundation: StackOutputs,
  { place, observe, signal }: Operation,
): Promise<Product<string>> {
  if (imageUri !== undefined) {
    await checkForeignImage(imageUri, image, place, signal);
    return { state: "skipped", detail: `${imageUri} is given`, value: imageUri };
  }
  const ready = await ensureImage(
    {
      image,
      variant,
      repository,
      repositoryUri: foundation[OUTPUTS.repositoryUri]!,
      buildProject: foundation[OUTPUTS.buildProject]!,
      buildBucket: foundation[OUTPUTS.buildBucket]!,
      build,
    },
    place,
    observe,
    signal,
  );
  const { built, tag } = ready;
  return built
    ? { state: "done", detail: `${tag} built and pushed`, value: ready.imageUri }
    : { state: "skipped", detail: `${tag} is in the repository`, value: ready.imageUri };
}
