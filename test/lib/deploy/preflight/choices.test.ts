import { describe, expect, it } from "vitest";
import { buildAgentApp } from "../../../../lib/deploy/agent/agent-choice.ts";
import { choicesCheck } from "../../../../lib/deploy/preflight/choices.ts";
import { buildSpeechApp, type SpeechChoice } from "../../../../lib/deploy/speech/speech-choice.ts";

const signal = new AbortController().signal;
const speech = (choice: Partial<SpeechChoice>) =>
  choicesCheck((outdir) =>
    buildSpeechApp(
      { modelId: "kokoro-82m", stage: "main", options: {}, ...choice },
      { imageTag: "any" },
      {},
      outdir,
    ),
  ).run(signal);

describe("the choices of a deployment", () => {
  it("are ok where the stacks take them", async () => {
    expect(await speech({ instanceType: "ml.g6.xlarge", maxInstances: 4 })).toMatchObject({ state: "ok" });
  });

  it.each<[string, Partial<SpeechChoice>]>([
    ["kmsKeyArn", { options: { kmsKeyArn: "foo" } }],
    ["qualifier", { options: { qualifier: "A B" } }],
    ["permissionsBoundary", { options: { permissionsBoundary: "a b" } }],
    ["instanceType", { instanceType: "g5" }],
    ["imageUri", { imageUri: "foo" }],
  ])("fail before anything is made for a wrong %s", async (name, choice) => {
    expect(await speech(choice)).toMatchObject({ state: "failed", message: expect.stringContaining(name) });
  });

  it("fail for an agent's image that is not in ECR", async () => {
    const choice = {
      stage: "main",
      bedrockModelId: "m",
      speechEndpointName: "s",
      imageUri: "foo",
      options: {},
    };
    const finding = await choicesCheck((outdir) => buildAgentApp(choice, undefined, {}, outdir)).run(signal);
    expect(finding).toMatchObject({ state: "failed", message: expect.stringContaining("imageUri") });
  });
});
