/** Which ARNs of Bedrock a model id stands for. */
import { describe, expect, it } from "vitest";
import { invokeLanguageModel } from "../../../lib/constructs/language-model.ts";
import { flat, PLACE, withStack } from "../../helpers/synthesized-apps.ts";

function grants(modelId: string, region: string = PLACE.region) {
  return withStack(region, (stack) =>
    invokeLanguageModel(stack, modelId).map(({ resources, conditions }) => ({
      resources: resources.map((resource) => flat(stack.resolve(resource))),
      through: flat(stack.resolve(conditions?.StringEquals?.["bedrock:InferenceProfileArn"] ?? "")),
    })),
  );
}

const ARN = "arn:<AWS::Partition>:bedrock:eu-west-1";

it("a model is itself, in the stack's region", () => {
  expect(grants("amazon.nova-lite-v1:0")).toEqual([
    { resources: [`${ARN}::foundation-model/amazon.nova-lite-v1:0`], through: "" },
  ]);
});

it.each([
  ["eu", "eu-west-1", ["eu-west-1", "eu-*"]],
  ["us", "us-east-1", ["us-east-1", "us-*", "ca-*"]],
  ["us-gov", "us-gov-west-1", ["us-gov-west-1", "us-gov-*"]],
  ["apac", "ap-south-1", ["ap-south-1", "ap-*"]],
  ["jp", "ap-northeast-1", ["ap-northeast-1", "ap-northeast-*"]],
  ["au", "ap-southeast-2", ["ap-southeast-2", "ap-southeast-*"]],
  ["global", "eu-west-1", ["eu-west-1", ""]],
])(
  "a profile of %s is itself, and the model where it routes to, through it alone",
  (area, region, regions) => {
    const profile = `arn:<AWS::Partition>:bedrock:${region}:123456789012:inference-profile/${area}.amazon.nova-lite-v1:0`;
    expect(grants(`${area}.amazon.nova-lite-v1:0`, region)).toEqual([
      { resources: [profile], through: "" },
      {
        resources: regions.map(
          (name) => `arn:<AWS::Partition>:bedrock:${name}::foundation-model/amazon.nova-lite-v1:0`,
        ),
        through: profile,
      },
    ]);
  },
);

describe("an ARN", () => {
  const CN = "arn:aws-cn:bedrock:cn-north-1";
  it.each([
    `${CN}::foundation-model/amazon.nova-lite-v1:0`,
    `${CN}:123456789012:provisioned-model/abc`,
    `${CN}:123456789012:imported-model/abc`,
    `${CN}:123456789012:custom-model-deployment/abc`,
  ])("is taken as it is: %s", (arn) => {
    expect(grants(arn)).toEqual([{ resources: [arn], through: "" }]);
  });

  it("of a profile opens its model, too", () => {
    const arn = `${CN}:123456789012:inference-profile/eu.amazon.nova-lite-v1:0`;
    expect(grants(arn)[1]).toEqual({
      resources: [
        `${ARN}::foundation-model/amazon.nova-lite-v1:0`,
        "arn:<AWS::Partition>:bedrock:eu-*::foundation-model/amazon.nova-lite-v1:0",
      ],
      through: arn,
    });
  });

  it("of an application's profile opens any model, through it alone", () => {
    const arn = `${CN}:123456789012:application-inference-profile/abc123`;
    expect(grants(arn)).toEqual([
      { resources: [arn], through: "" },
      {
        resources: ["*", ""].map((region) => `arn:<AWS::Partition>:bedrock:${region}::foundation-model/*`),
        through: arn,
      },
    ]);
  });
});

it.each([
  "",
  "nova",
  "*",
  "amazon.*",
  "eu.amazon.nova lite",
  "arn:aws-cn:bedrock:cn-north-1:1:guardrail/x",
  "arn:aws-cn:s3:::x",
  "arn:aws-cn:bedrock:cn-north-1::foundation-model/*",
])("fails for %j", (modelId) => {
  expect(() => grants(modelId)).toThrow(/^bedrockModelId must be a model id such as/);
});
