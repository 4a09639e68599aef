/**
 * The image that a deployment runs: built and pushed unless its tag is there, or somebody else's; in each case read back
 * and checked.
 */
import { isSpeechError, SpeechError } from "../../errors.ts";
import type { AwsPlace } from "../aws-clients.ts";
import type { DeployObserver } from "../progress.ts";
import { imageTag } from "./content-hash.ts";
import { buildWithDocker, dockerAnswers } from "./docker.ts";
import { EcrImages } from "./ecr-images.ts";
import { checkImage } from "./image-check.ts";
import { IMAGES, type ImageName, type ImageVariant } from "./image-definition.ts";
import { ecrReference } from "./image-reference.ts";
import { buildRemotely } from "./remote-build.ts";

export const BUILD_WAYS = ["auto", "docker", "remote"] as const;
/** `auto`: Docker when an engine answers, else CodeBuild. */
export type BuildWay = (typeof BUILD_WAYS)[number];

export interface OwnImage {
  readonly image: ImageName;
  readonly variant: ImageVariant;
  readonly repository: string;
  /** These three from the foundation stack's outputs. */
  readonly repositoryUri: string;
  readonly buildProject: string;
  readonly buildBucket: string;
  readonly build: BuildWay;
}

export interface ReadyImage {
  readonly imageUri: string;
  readonly tag: string;
  readonly digest: string;
  readonly built: boolean;
}

/**
 * @param signal ends a build, at AWS too.
 * @throws {SpeechError} CONFIGURATION for an image that cannot be deployed; DEPLOYMENT_FAILED when it cannot be built.
 */
export async function ensureImage(
  own: OwnImage,
  place: AwsPlace,
  observe: DeployObserver,
  signal: AbortSignal,
): Promise<ReadyImage> {
  const images = new EcrImages(place);
  const tag = await imageTag(own.image, own.variant);
  const reference = { repository: own.repository, tag };
  const isThere = (await images.digestOf(reference, signal)) !== undefined;
  if (!isThere) {
    try {
      await buildImage(own, tag, place, observe, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Somebody else pushed the same meanwhile, and a tag cannot be pushed twice: theirs is checked as ours would be.
      if ((await images.digestOf(reference, signal).catch(() => undefined)) === undefined) throw error;
    }
  }
  const stored = await images.read(reference, signal);
  try {
    checkImage(`${own.repository}:${tag}`, stored, IMAGES[own.image]);
  } catch (refusal) {
    // The tag is its source's and cannot be moved: while it stands, the same source is never built again.
    if (!isThere) await images.remove(reference, signal);
    throw refusedAgain(refusal, reference, place, isThere);
  }
  return { imageUri: `${own.repositoryUri}:${tag}`, tag, digest: stored.digest, built: !isThere };
}

/** One that was there may be what an endpoint runs: it is not removed behind anybody's back. */
function refusedAgain(
  refusal: unknown,
  { repository, tag }: { repository: string; tag: string },
  { region }: AwsPlace,
  isThere: boolean,
): unknown {
  if (!isSpeechError(refusal)) return refusal;
  const next = isThere
    ? "to have it built again, run: aws ecr batch-delete-image " +
      `--repository-name ${repository} --image-ids imageTag=${tag} --region ${region}`
    : "it was removed from the repository, and is built again the next time";
  return new SpeechError(refusal.code, `${refusal.message}; ${next}`, {
    details: refusal.details,
    cause: refusal,
  });
}

async function buildImage(
  own: OwnImage,
  tag: string,
  place: AwsPlace,
  observe: DeployObserver,
  signal: AbortSignal,
): Promise<void> {
  const image = IMAGES[own.image];
  const { variant, repositoryUri, buildProject: project, buildBucket: bucket } = own;
  const hasDocker = own.build !== "remote" && (await dockerAnswers(signal));
  if (hasDocker) return await buildWithDocker({ image, variant, repositoryUri, tag }, place, observe, signal);
  if (own.build === "docker") {
    throw new SpeechError(
      "CONFIGURATION",
      "no Docker engine with buildx answers on this machine; start it, or give --build remote to build in AWS CodeBuild",
    );
  }
  await buildRemotely({ image, variant, tag, project, bucket }, place, observe, signal);
}

export interface ForeignImage {
  readonly imageUri: string;
  /** undefined where it lies in a registry that cannot be asked. */
  readonly digest: string | undefined;
}

/**
 * Somebody else's image is checked as well where it lies in ECR.
 * @throws {SpeechError} CONFIGURATION, NOT_FOUND
 */
export async function checkForeignImage(
  imageUri: string,
  image: ImageName,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<ForeignImage> {
  const reference = ecrReference(imageUri);
  if (reference === undefined) return { imageUri, digest: undefined };
  const stored = await new EcrImages({ ...place, region: reference.region }).read(reference, signal);
  checkImage(imageUri, stored, IMAGES[image]);
  return { imageUri, digest: stored.digest };
}
