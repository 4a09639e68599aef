/**
 * Both sides as one CDK app for people who use `cdk` themselves: `cdk deploy -c model=kokoro-82m -c imageTag=... -c
 * agentImageTag=...`. A side is there when its image is named. What commands take as flags is told by the context.
 */
import { App, type AppProps } from "aws-cdk-lib";
import { BEDROCK_MODEL_ID_DEFAULT } from "../lib/config/agent-settings.ts";
import type { CdkSettings } from "../lib/config/cdk-settings.ts";
import { requireStage, STAGE_DEFAULT, speechNames } from "../lib/config/deployment-names.ts";
import { requireSpeechModel } from "../lib/config/speech-catalog.ts";
import { SpeechError } from "../lib/errors.ts";
import { addAgentStacks } from "./agent-app.ts";
import { addSpeechStacks } from "./speech-app.ts";

/** docs/cdk.md says what each means; a test compares the two. */
export const CONTEXT_KEYS = [
  "model",
  "stage",
  "imageTag",
  "imageUri",
  "modelPrefix",
  "instanceType",
  "minInstances",
  "maxInstances",
  "scaleOn",
  "agentImageTag",
  "agentImageUri",
  "bedrockModelId",
  "speechEndpointName",
  "permissionsBoundary",
  "qualifier",
  "kmsKeyArn",
  "logRetentionDays",
  "alarmTopicArn",
] as const;
type ContextKey = (typeof CONTEXT_KEYS)[number];

/** @throws {SpeechError} CONFIGURATION */
export function contextApp(
  { account, region }: CdkSettings,
  { context, outdir }: Pick<AppProps, "context" | "outdir"> = {},
): App {
  const app = new App({ context, outdir, analyticsReporting: false });
  const text = (key: ContextKey): string | undefined => contextText(app, key);
  const modelId = text("model") ?? "kokoro-82m";
  const stage = text("stage") ?? STAGE_DEFAULT;
  const place = {
    stage,
    account,
    region,
    options: {
      permissionsBoundary: text("permissionsBoundary"),
      qualifier: text("qualifier"),
      kmsKeyArn: text("kmsKeyArn"),
      logRetentionDays: contextNumber(app, "logRetentionDays"),
      alarmTopicArn: text("alarmTopicArn"),
    },
  };
  const speechImage = { imageTag: text("imageTag"), imageUri: text("imageUri") };
  const agentImage = { imageTag: text("agentImageTag"), imageUri: text("agentImageUri") };
  if (isNamed(speechImage)) {
    addSpeechStacks(app, {
      ...place,
      ...speechImage,
      modelId,
      modelPrefix: text("modelPrefix"),
      instanceType: text("instanceType"),
      minInstances: contextNumber(app, "minInstances"),
      maxInstances: contextNumber(app, "maxInstances"),
      scaleOn: contextScaleOn(text("scaleOn")),
    });
  }
  if (isNamed(agentImage)) {
    addAgentStacks(app, {
      ...place,
      ...agentImage,
      bedrockModelId: text("bedrockModelId") ?? BEDROCK_MODEL_ID_DEFAULT,
      speechEndpointName:
        text("speechEndpointName") ??
        speechNames(requireSpeechModel(modelId).id, requireStage(stage)).endpoint,
    });
  }
  if (isNamed(speechImage) || isNamed(agentImage)) return app;
  throw new SpeechError(
    "CONFIGURATION",
    "no image is named; give -c imageTag=TAG for the speech side, -c agentImageTag=TAG for the agent's, or both",
  );
}

function isNamed(image: { readonly imageTag?: string; readonly imageUri?: string }): boolean {
  return image.imageTag !== undefined || image.imageUri !== undefined;
}

function contextText(app: App, key: ContextKey): string | undefined {
  const value: unknown = app.node.tryGetContext(key);
  return value === undefined || value === "" ? undefined : String(value);
}

function contextNumber(app: App, key: ContextKey): number | undefined {
  const text = contextText(app, key);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value)) return value;
  throw new SpeechError("CONFIGURATION", `${key} must be a whole number, got "${text.slice(0, 60)}"`);
}

function contextScaleOn(text: string | undefined): "concurrency" | "invocations" | undefined {
  if (text === undefined || text === "concurrency" || text === "invocations") return text;
  throw new SpeechError(
    "CONFIGURATION",
    `scaleOn must be concurrency or invocations, got "${text.slice(0, 60)}"`,
  );
}
