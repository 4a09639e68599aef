/** The speech side as a whole: names, order, refusals. */
import { describe, expect, it } from "vitest";
import { speech } from "../helpers/synthesized-apps.ts";

it("has three stacks in the order of deployment", () => {
  const { stacks } = speech();
  expect(stacks.map(({ stackName }) => stackName)).toEqual([
    "speech-kokoro-82m-foundation",
    "speech-kokoro-82m-model-cache",
    "speech-kokoro-82m-endpoint",
  ]);
  const [foundation, modelCache, endpoint] = stacks;
  expect(modelCache!.dependencies).toEqual([foundation]);
  expect(endpoint!.dependencies).toEqual(expect.arrayContaining([foundation, modelCache]));
});

it("puts the stage before every name", () => {
  const { stacks, resources } = speech({ stage: "dev" });
  for (const { stackName } of stacks) expect(stackName).toMatch(/^dev-speech-kokoro-82m-/);
  const endpoint = [...resources.values()].find(({ Type }) => Type === "AWS::SageMaker::Endpoint");
  expect(endpoint?.Properties.EndpointName).toBe("dev-speech-kokoro-82m");
});

it("fits any account and region, when none is told", () => {
  const { text } = speech({ account: undefined, region: undefined });
  expect(text).toContain('"speech-kokoro-82m-",{"Ref":"AWS::AccountId"},"-",{"Ref":"AWS::Region"}');
});

describe("it fails, before anything is written, for", () => {
  it.each([
    [{ modelId: "kokoro-82b" }, 'unknown model "kokoro-82b"'],
    [{ stage: "Dev" }, "--stage must be"],
    [{ options: { qualifier: "Not-Me" } }, "qualifier must be 1 to 10 lower-case letters and digits"],
    [{ options: { permissionsBoundary: "" } }, "permissionsBoundary must be the name or ARN of a policy"],
    [{ options: { kmsKeyArn: "alias/key" } }, "kmsKeyArn must be an ARN of KMS"],
    [
      { options: { alarmTopicArn: "arn:aws-cn:kms:cn-north-1:1:key/2" } },
      "alarmTopicArn must be an ARN of SNS",
    ],
    [{ options: { logRetentionDays: 31 } }, "logRetentionDays must be one of 1, 3, 5"],
  ])("%j", (changes, words) => {
    expect(() => speech(changes)).toThrow(words);
  });
});
