import { describe, expect, it } from "vitest";
import { findDrift } from "../../../../lib/deploy/status/drift.ts";

const REGISTRY = "111122223333.dkr.ecr.eu-west-1.example";
const DEPLOYED = { imageUri: `${REGISTRY}/speech-kokoro-82m:cuda-1`, modelPrefix: "kokoro/1/" };
const drift = (
  local: Parameters<typeof findDrift>[1],
  deployed: Parameters<typeof findDrift>[0] = DEPLOYED,
) => findDrift(deployed, local, "speech-kokoro-82m").map(({ what }) => what);

describe("drift", () => {
  it("is none where tag and prefix agree", () => {
    expect(drift({ imageTag: "cuda-1", modelPrefix: "kokoro/1/" })).toEqual([]);
  });

  it("is told for image and weights each", () => {
    expect(drift({ imageTag: "cuda-2", modelPrefix: "kokoro/2/" })).toEqual(["image", "weights"]);
  });

  it("is not known for what is not on this machine", () => {
    expect(drift({ imageTag: "cuda-1", modelPrefix: undefined })).toEqual([]);
  });

  it("says nothing of somebody else's image", () => {
    expect(drift({ imageTag: "cuda-2" }, { imageUri: `${REGISTRY}/theirs:1`, modelPrefix: null })).toEqual(
      [],
    );
    expect(
      drift(
        { imageTag: "cuda-2" },
        { imageUri: `${REGISTRY}/team/speech-kokoro-82m-cpu:1`, modelPrefix: null },
      ),
    ).toEqual([]);
  });
});
