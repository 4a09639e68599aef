import { describe, expect, it } from "vitest";
import { speechNames, TAGS } from "../../../../lib/config/deployment-names.ts";
import { speechDeployments } from "../../../../lib/deploy/status/deployments.ts";

const stack = (name: string, stage: string) => ({ name, outputs: {}, tags: { [TAGS.stageKey]: stage } });

describe("deployments", () => {
  it("are told by stack names, one for each model and stage", () => {
    const main = speechNames("kokoro-82m", "main");
    const dev = speechNames("kokoro-82m-cpu", "dev");
    const found = speechDeployments([
      ...Object.values(main.stacks).map((name) => stack(name, "main")),
      stack(dev.stacks.foundation, "dev"),
      stack("voice-agent-runtime", "main"),
      { name: main.stacks.endpoint, outputs: {}, tags: {} },
    ]);
    expect(found).toEqual([
      { modelId: "kokoro-82m", stage: "main", endpoint: "speech-kokoro-82m" },
      { modelId: "kokoro-82m-cpu", stage: "dev", endpoint: "dev-speech-kokoro-82m-cpu" },
    ]);
  });
});
