import { describe, expect, it } from "vitest";
import { agentCommands } from "../../../lib/deploy/agent/agent-choice.ts";
import { addedFlags } from "../../../lib/deploy/command-words.ts";
import { speechCommands } from "../../../lib/deploy/speech/speech-choice.ts";

const PLACE = { region: "eu-west-1" };

describe("commands that messages name", () => {
  it("say stage, region and profile where a flag chose them, and nothing else", () => {
    expect(addedFlags("main", {})).toBe("");
    expect(addedFlags("main")).toBe("");
    expect(addedFlags("dev", { region: "eu-west-1", profile: "work" })).toBe(
      " --stage dev --region eu-west-1 --profile work",
    );
  });

  it("leave a region of the environment to the environment", () => {
    const choice = { modelId: "kokoro-82m", stage: "main", build: "auto", options: {} } as const;
    expect(speechCommands(choice, PLACE)).toEqual({
      deployCommand: "speech-infra deploy kokoro-82m",
      destroyCommand: "speech-infra destroy kokoro-82m",
    });
  });

  it("repeat every choice about speech, which a deploy without it would undo", () => {
    const choice = {
      modelId: "kokoro-82m-cpu",
      stage: "dev",
      instanceType: "ml.c7i.4xlarge",
      minInstances: 2,
      maxInstances: 6,
      scaleOn: "invocations",
      build: "remote",
      options: { permissionsBoundary: "limit", qualifier: "mine", kmsKeyArn: "KEY" },
    } as const;
    expect(speechCommands(choice, { ...PLACE, chosen: { region: "eu-west-1" } })).toEqual({
      deployCommand:
        "speech-infra deploy kokoro-82m-cpu --stage dev --region eu-west-1 --instance-type ml.c7i.4xlarge --min 2 " +
        "--max 6 --scale-on invocations --build remote --permissions-boundary limit --qualifier mine --kms KEY",
      destroyCommand: "speech-infra destroy kokoro-82m-cpu --stage dev --region eu-west-1 --qualifier mine",
    });
  });

  it("repeat every choice about the agent", () => {
    const choice = { stage: "main", bedrockModelId: "model", options: {} };
    const deployOf = (endpoint: string, imageUri?: string) =>
      agentCommands({ ...choice, speechEndpointName: endpoint, imageUri }, PLACE).deployCommand;
    expect(deployOf("speech-kokoro-82m")).toBe("agent-infra deploy --bedrock-model-id model");
    expect(deployOf("other", "IMAGE")).toBe(
      "agent-infra deploy --bedrock-model-id model --speech-endpoint other --image-uri IMAGE",
    );
  });
});
