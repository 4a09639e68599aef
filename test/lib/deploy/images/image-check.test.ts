import { describe, expect, it } from "vitest";
import type { StoredImage } from "../../../../lib/deploy/images/ecr-images.ts";
import { checkImage, imageFaults } from "../../../../lib/deploy/images/image-check.ts";
import { IMAGES } from "../../../../lib/deploy/images/image-definition.ts";

const LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming";
const OCI = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = {
  os: "linux",
  architecture: "amd64",
  labels: { [LABEL]: "true" } as Record<string, string>,
  entrypoint: ["/usr/local/bin/node", "main.ts"],
  user: "65532",
};
const image = (more: Partial<typeof CONFIG> = {}, mediaType?: string): StoredImage => ({
  digest: "sha256:0",
  mediaType: mediaType ?? "application/vnd.docker.distribution.manifest.v2+json",
  config: { ...CONFIG, ...more },
});

describe("checkImage", () => {
  it("takes an image as AWS wants it", () => {
    expect(imageFaults(image(), IMAGES.tts)).toEqual([]);
    expect(imageFaults(image({ architecture: "arm64", labels: {} }, OCI), IMAGES.agent)).toEqual([]);
  });

  it.each([
    ["a missing label", image({ labels: {} }), "tts", `LABEL ${LABEL}=true`],
    ["a label of another value", image({ labels: { [LABEL]: "false" } }), "tts", 'is "false"'],
    ["an OCI manifest", image({}, OCI), "tts", "oci-mediatypes=false"],
    ["another architecture", image({ architecture: "arm64" }), "tts", "--platform linux/amd64"],
    ["another architecture", image(), "agent", "--platform linux/arm64"],
    ["no entrypoint", image({ entrypoint: [] }), "tts", 'ENTRYPOINT that takes the argument "serve"'],
    [
      "an index",
      { digest: "sha256:0", mediaType: "application/vnd.oci.image.index.v1+json", config: undefined },
      "tts",
      "--provenance=false",
    ],
  ] as const)("fails for %s, saying how to mend it (%#)", (_what, stored, name, words) => {
    expect(() => checkImage("repository:tag", stored, IMAGES[name])).toThrow(
      expect.objectContaining({ code: "CONFIGURATION", message: expect.stringContaining(words) }),
    );
  });

  it("tells all that is wrong at once", () => {
    expect(
      imageFaults(image({ labels: {}, architecture: "arm64", entrypoint: [] }, OCI), IMAGES.tts),
    ).toHaveLength(4);
  });
});
