import { describe, expect, it } from "vitest";
import { agentNames, modelBucketName, speechNames } from "../../../../lib/config/deployment-names.ts";
import { SPEECH_MODEL_IDS } from "../../../../lib/config/speech-catalog.ts";
import { brokenName } from "../../../../lib/deploy/preflight/name-rules.ts";

describe("names", () => {
  it("of the longest stage, model and region keep every service's rule", () => {
    for (const id of SPEECH_MODEL_IDS) {
      const names = speechNames(id, "stage123");
      expect(
        brokenName([
          ["endpoint", names.endpoint],
          ["repository", names.repository],
          ["bucket", modelBucketName(names, "123456789012", "ap-southeast-1")],
          ["runtime", agentNames("stage123").runtime],
        ]),
      ).toBeUndefined();
    }
  });

  it("fails for the first that does not, and says what is allowed", () => {
    expect(brokenName([["runtime", "voice-agent"]])).toBe(
      'the runtime would be called "voice-agent"; allowed are 1 to 48 letters, digits and underscores',
    );
    expect(brokenName([["bucket", "a".repeat(64)]])).toContain("3 to 63");
  });
});
