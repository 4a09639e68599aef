/** An image's URI, taken apart: of an ECR registry, in any partition, or of somebody else's. */
import { SpeechError } from "../../errors.ts";
import type { ImageReference } from "./ecr-images.ts";

export interface EcrReference extends ImageReference {
  readonly registryId: string;
  readonly region: string;
}

/** <account>.dkr.ecr[-fips].<region>.<partition's domain>/<repository>[:tag][@digest] */
const ECR = /^(\d{12})\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.[a-z0-9.-]+\/(.+)$/;
const NAME = /^([a-z0-9][a-z0-9._/-]*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * @returns undefined for an image of another registry.
 * @throws {SpeechError} CONFIGURATION for an ECR URI that is none.
 */
export function ecrReference(uri: string): EcrReference | undefined {
  const registry = ECR.exec(uri);
  if (registry === null) return undefined;
  const name = NAME.exec(registry[3]!);
  if (name === null || (name[2] === undefined && name[3] === undefined)) {
    throw new SpeechError(
      "CONFIGURATION",
      `--image-uri must name an image by tag or digest (REPOSITORY:TAG or REPOSITORY@sha256:...), got "${uri.slice(0, 200)}"`,
    );
  }
  return {
    registryId: registry[1]!,
    region: registry[2]!,
    repository: name[1]!,
    tag: name[2],
    digest: name[3],
  };
}
