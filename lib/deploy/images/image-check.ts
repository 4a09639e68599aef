/**
 * Refuses an image that AWS would refuse, or run wrongly, minutes later: before any endpoint is touched, and saying how to
 * mend it.
 */
import { SpeechError } from "../../errors.ts";
import { DOCKER_MANIFEST, type StoredImage } from "./ecr-images.ts";
import { type ImageDefinition, platformOf } from "./image-definition.ts";

/** @throws {SpeechError} CONFIGURATION that names all that is wrong. */
export function checkImage(name: string, stored: StoredImage, image: ImageDefinition): void {
  const faults = imageFaults(stored, image);
  if (faults.length === 0) return;
  throw new SpeechError("CONFIGURATION", `the image ${name} cannot be deployed: ${faults.join("; ")}`, {
    details: { image: name, digest: stored.digest, faults },
  });
}

/** Each: what is wrong, what was found, how to mend it. */
export function imageFaults({ mediaType, config }: StoredImage, image: ImageDefinition): string[] {
  const platform = platformOf(image);
  if (config === undefined) {
    return [
      `it is an index of several images (${mediaType}), where one is needed: build with --platform ${platform} --provenance=false`,
    ];
  }
  const faults: string[] = [];
  // SageMaker refuses OCI manifests: "Unsupported manifest media type".
  if (image.name === "tts" && mediaType !== DOCKER_MANIFEST) {
    faults.push(
      `its manifest is ${mediaType}, which SageMaker refuses: build with --provenance=false --output type=registry,oci-mediatypes=false`,
    );
  }
  const found = `${config.os}/${config.architecture}`;
  if (found !== platform) {
    faults.push(`it is built for ${found}, not ${platform}: build with --platform ${platform}`);
  }
  for (const [label, value] of Object.entries(image.labels)) {
    const got = config.labels[label];
    if (got === value) continue;
    faults.push(
      `its label ${label} is ${got === undefined ? "missing" : `"${got}"`}: add LABEL ${label}=${value} to its Dockerfile`,
    );
  }
  if (config.entrypoint.length === 0) {
    faults.push(
      `it has no ENTRYPOINT${image.name === "tts" ? ' that takes the argument "serve"' : ""}: add one to its Dockerfile`,
    );
  }
  return faults;
}
