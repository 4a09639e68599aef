/** The speech side as a CDK app: foundation, bucket of weights, endpoint. */
import { App, type AppProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { requireStage, speechNames } from "../lib/config/deployment-names.ts";
import { instanceBounds, requireSpeechModel } from "../lib/config/speech-catalog.ts";
import type { ScaleOn } from "../lib/constructs/endpoint-scaling.ts";
import { tagAsOurs } from "../lib/constructs/tags.ts";
import { SpeechError } from "../lib/errors.ts";
import { EndpointStack } from "./endpoint-stack.ts";
import { FoundationStack } from "./foundation-stack.ts";
import { ModelCacheStack } from "./model-cache-stack.ts";
import { type StackPlace, stackSettings } from "./stack-settings.ts";

export interface SpeechStacksProps extends StackPlace {
  /** An entry of the catalog. */
  readonly modelId: string;
  /** Tag in this side's repository. Either this or imageUri. */
  readonly imageTag?: string;
  /** An image elsewhere in ECR. */
  readonly imageUri?: string;
  /** Where the weights lie in the bucket; ends in a slash. Part of the configuration's hash. @default "model/" */
  readonly modelPrefix?: string;
  /** @default the catalog's */
  readonly instanceType?: string;
  /** @default 1 */
  readonly minInstances?: number;
  /** @default 2, or minInstances where that is more */
  readonly maxInstances?: number;
  /** @default "concurrency" */
  readonly scaleOn?: ScaleOn;
}

export interface SpeechAppProps extends SpeechStacksProps {
  /** Where templates are written. @default a temporary folder */
  readonly outdir?: string;
  readonly context?: AppProps["context"];
}

export const MODEL_PREFIX_DEFAULT = "model/";

/** Loads in a second: import it where it is needed. @throws {SpeechError} CONFIGURATION */
export function speechApp(props: SpeechAppProps): App {
  const app = new App({ outdir: props.outdir, context: props.context, analyticsReporting: false });
  addSpeechStacks(app, props);
  return app;
}

/** @throws {SpeechError} CONFIGURATION */
export function addSpeechStacks(scope: Construct, props: SpeechStacksProps): void {
  const model = requireSpeechModel(props.modelId);
  const names = speechNames(model.id, requireStage(props.stage));
  const shared = {
    ...stackSettings(props),
    names,
    image: { imageTag: props.imageTag, imageUri: props.imageUri },
    modelPrefix: requireModelPrefix(props.modelPrefix ?? MODEL_PREFIX_DEFAULT),
  };
  const foundation = new FoundationStack(scope, names.stacks.foundation, shared);
  const modelCache = new ModelCacheStack(scope, names.stacks.modelCache, shared);
  const endpoint = new EndpointStack(scope, names.stacks.endpoint, {
    ...shared,
    role: foundation.role,
    device: model.device,
    instanceType: props.instanceType ?? model.instanceType,
    ...instanceBounds(props),
    scaleOn: props.scaleOn ?? "concurrency",
  });
  modelCache.addStackDependency(foundation, "the order of deployment");
  endpoint.addStackDependency(modelCache, "the weights are read at the start");
  for (const stack of [foundation, modelCache, endpoint]) tagAsOurs(stack, names.stage);
}

/** SageMaker mounts all that begins with the prefix: without the slash, `model` would also be `model-old/`. */
function requireModelPrefix(prefix: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._/-]{0,200}\/$/.test(prefix)) return prefix;
  throw new SpeechError(
    "CONFIGURATION",
    `modelPrefix must be a key prefix that ends in a slash, such as model/, got "${prefix.slice(0, 200)}"`,
  );
}
