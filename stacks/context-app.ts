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
import { AppContext } from "./app-context.ts";
import { addSpeechStacks } from "./speech-app.ts";

/** @throws {SpeechError} CONFIGURATION */
export function contextApp(
  { account, region }: CdkSettings,
  { context, outdir }: Pick<AppProps, "context" | "outdir"> = {},
): App {
  const app = new App({ context, outdir, analyticsReporting: false });
  const told = new AppContext(app);
  const modelId = told.text("model") ?? "kokoro-82m";
  const stage = told.text("stage") ?? STAGE_DEFAULT;
  const place = {
    stage,
    account,
    region,
    options: {
      permissionsBoundary: told.text("permissionsBoundary"),
      qualifier: told.text("qualifier"),
      kmsKeyArn: told.text("kmsKeyArn"),
      logRetentionDays: told.wholeNumber("logRetentionDays"),
      alarmTopicArn: told.text("alarmTopicArn"),
    },
  };
  const speechImage = { imageTag: told.text("imageTag"), imageUri: told.text("imageUri") };
  const agentImage = { imageTag: told.text("agentImageTag"), imageUri: told.text("agentImageUri") };
  if (isNamed(speechImage)) {
    addSpeechStacks(app, {
      ...place,
      ...speechImage,
      modelId,
      modelPrefix: told.text("modelPrefix"),
      instanceType: told.text("instanceType"),
      minInstances: told.wholeNumber("minInstances"),
      maxInstances: told.wholeNumber("maxInstances"),
      scaleOn: told.scaleOn(),
    });
  }
  if (isNamed(agentImage)) {
    addAgentStacks(app, {
      ...place,
      ...agentImage,
      bedrockModelId: told.text("bedrockModelId") ?? BEDROCK_MODEL_ID_DEFAULT,
      speechEndpointName:
        told.text("speechEndpointName") ??
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
