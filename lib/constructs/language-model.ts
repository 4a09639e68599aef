/**
 * On what a role must be allowed to invoke a language model of Bedrock: the model itself, or an inference profile
 * together with the model in the regions that the profile routes to, and there only when it came through the profile
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html).
 */
import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { SpeechError } from "../errors.ts";
import { INVOKE_LANGUAGE_MODEL } from "./permissions.ts";
import type { Grant } from "./service-role.ts";

/**
 * First word of a profile's id, and the regions it may route to besides the caller's own. A global profile is checked
 * against the model's ARN without a region
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html).
 */
const PROFILE_REGIONS: Readonly<Record<string, readonly string[]>> = {
  us: ["us-*", "ca-*"],
  "us-gov": ["us-gov-*"],
  ca: ["ca-*", "us-*"],
  eu: ["eu-*"],
  apac: ["ap-*"],
  jp: ["ap-northeast-*"],
  au: ["ap-southeast-*"],
  global: [""],
};

/** Resources of Bedrock that are invoked as they are. */
const DIRECT_KINDS = ["foundation-model", "provisioned-model", "imported-model", "custom-model-deployment"];
const MODEL_ID = /^[a-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)*$/;
const ARN = /^arn:[a-z-]+:bedrock:([a-z0-9-]*):(\d*):([a-z-]+)\/([A-Za-z0-9.:_-]+)$/;

/** @throws {SpeechError} CONFIGURATION for what is neither a model, nor a profile, nor the ARN of one. */
export function invokeLanguageModel(scope: Construct, modelId: string): Grant[] {
  const stack = Stack.of(scope);
  if (MODEL_ID.test(modelId)) {
    const model = modelOfProfile(modelId);
    return model === undefined
      ? [{ actions: INVOKE_LANGUAGE_MODEL, resources: [foundationModelArn(stack, stack.region, modelId)] }]
      : throughProfile(stack, profileArn(stack, modelId), modelId.split(".")[0]!, model);
  }
  const [, , , kind, name] = ARN.exec(modelId) ?? [];
  if (kind === "inference-profile" && modelOfProfile(name!) !== undefined) {
    return throughProfile(stack, modelId, name!.split(".")[0]!, modelOfProfile(name!)!);
  }
  // Which models it stands for is known to Bedrock alone: any, but only through it.
  if (kind === "application-inference-profile") return throughProfile(stack, modelId, undefined, "*");
  if (kind !== undefined && DIRECT_KINDS.includes(kind)) {
    return [{ actions: INVOKE_LANGUAGE_MODEL, resources: [modelId] }];
  }
  throw new SpeechError(
    "CONFIGURATION",
    "bedrockModelId must be a model id such as amazon.nova-lite-v1:0, an inference profile such as " +
      `eu.amazon.nova-lite-v1:0, or the ARN of one, got "${modelId.slice(0, 200)}"`,
  );
}

function modelOfProfile(id: string): string | undefined {
  const dot = id.indexOf(".");
  return Object.hasOwn(PROFILE_REGIONS, id.slice(0, dot)) ? id.slice(dot + 1) : undefined;
}

function throughProfile(stack: Stack, profile: string, area: string | undefined, model: string): Grant[] {
  const regions = area === undefined ? ["*", ""] : [stack.region, ...PROFILE_REGIONS[area]!];
  return [
    { actions: INVOKE_LANGUAGE_MODEL, resources: [profile] },
    {
      actions: INVOKE_LANGUAGE_MODEL,
      resources: regions.map((region) => foundationModelArn(stack, region, model)),
      conditions: { StringEquals: { "bedrock:InferenceProfileArn": profile } },
      wildcard: "Where a profile routes to is Bedrock's to choose and to extend; only through this profile.",
    },
  ];
}

function profileArn(stack: Stack, id: string): string {
  return stack.formatArn({ service: "bedrock", resource: "inference-profile", resourceName: id });
}

function foundationModelArn(stack: Stack, region: string, model: string): string {
  const resource = { service: "bedrock", resource: "foundation-model", resourceName: model };
  return stack.formatArn({ ...resource, region, account: "" });
}
