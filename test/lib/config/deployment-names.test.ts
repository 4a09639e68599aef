import { describe, expect, it } from "vitest";
import {
  agentNames,
  buildBucketName,
  modelBucketName,
  requireStage,
  speechNames,
} from "../../../lib/config/deployment-names.ts";
import { SPEECH_MODEL_IDS } from "../../../lib/config/speech-catalog.ts";

const ACCOUNT = "123456789012";
const LONGEST_REGION = "ap-northeast-3";

describe("deployment names", () => {
  it("has no prefix for the stage main, and one for every other", () => {
    expect(speechNames("kokoro-82m", "main").endpoint).toBe("speech-kokoro-82m");
    expect(speechNames("kokoro-82m", "dev").endpoint).toBe("dev-speech-kokoro-82m");
    expect(agentNames("dev").runtime).toBe("dev_voice_agent");
  });

  it("fits what AWS allows, with the longest stage", () => {
    const stage = requireStage("abcdefgh");
    expect(agentNames(stage).runtime).toMatch(/^[a-zA-Z][a-zA-Z0-9_]{0,47}$/);
    for (const modelId of SPEECH_MODEL_IDS) {
      const names = speechNames(modelId, stage);
      expect(names.endpoint.length).toBeLessThanOrEqual(63);
      expect(modelBucketName(names, ACCOUNT, LONGEST_REGION).length).toBeLessThanOrEqual(63);
      expect(buildBucketName(names.repository, ACCOUNT, LONGEST_REGION).length).toBeLessThanOrEqual(63);
      for (const stack of Object.values(names.stacks)) expect(stack).toMatch(/^[a-zA-Z][-a-zA-Z0-9]{0,127}$/);
    }
  });

  it("gives two stages, and two models, no name in common", () => {
    const all = ["main", "dev", "cpu", "speech"].flatMap((stage) =>
      SPEECH_MODEL_IDS.flatMap((modelId) => {
        const { endpoint, stacks } = speechNames(modelId, stage);
        return [endpoint, ...Object.values(stacks)];
      }),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(["", "Dev", "1st", "a-b", "abcdefghi", "main/../x"])("fails for the stage %j", (stage) => {
    expect(() => requireStage(stage)).toThrow("--stage must be 1 to 8 lower-case letters and digits");
  });
});
