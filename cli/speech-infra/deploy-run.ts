/** `speech-infra deploy` from start to end: preflight, consent, the steps, what was made and what it costs. */
import { STAGE_DEFAULT } from "../../lib/config/deployment-names.ts";
import { requireSpeechModel, type SpeechCatalogEntry } from "../../lib/config/speech-catalog.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import type { BuildWay } from "../../lib/deploy/images/image.ts";
import type { SpeechChoice } from "../../lib/deploy/speech/speech-choice.ts";
import type { SpeechDeployment } from "../../lib/deploy/speech/speech-deployment.ts";
import { SpeechError } from "../../lib/errors.ts";
import { type AwsOptions, selectAws } from "../aws-selection.ts";
import { requireAnswerable, requireConsent } from "../consent.ts";
import { type AccountRuleOptions, deploymentOptions } from "../deploy-options.ts";
import {
  announce,
  type DeploymentOptions,
  judgePreflight,
  lacksBootstrap,
  placeOf,
  withProgress,
} from "../deployment-run.ts";
import type { CliContext } from "../run.ts";
import { textTable } from "../text-table.ts";

export interface SpeechDeployOptions extends DeploymentOptions, AccountRuleOptions {
  readonly instanceType?: string;
  readonly min?: number;
  readonly max?: number;
  readonly scaleOn: "concurrency" | "invocations";
  readonly build: BuildWay;
  readonly imageUri?: string;
  readonly dryRun: boolean;
  readonly bootstrap: boolean;
  readonly yes: boolean;
}

export async function runDeploy(
  modelId: string,
  options: SpeechDeployOptions,
  context: CliContext,
): Promise<void> {
  const { output, signal } = context;
  const model = requireSpeechModel(modelId);
  const choice = speechChoice(modelId, options);
  const consent = { given: options.yes, flag: "--yes" };
  if (!options.dryRun) requireAnswerable(consent, context);

  output.status("Checking what is needed ...");
  const [{ preflightSpeech }, { buildSpeechApp, speechTarget }] = await Promise.all([
    import("../../lib/deploy/preflight/preflight.ts"),
    import("../../lib/deploy/speech/speech-choice.ts"),
  ]);
  const { names, instanceType, minInstances, maxInstances } = speechTarget(choice);
  const preflight = await preflightSpeech(
    {
      names,
      app: (outdir) => buildSpeechApp(choice, { imageTag: "any" }, {}, outdir),
      instanceType,
      minInstances,
      maxInstances,
      build: options.imageUri === undefined ? options.build : "none",
      qualifier: options.qualifier,
      expectedAccount: options.account,
    },
    await selectAws(options, context),
    signal,
  );
  judgePreflight(preflight, options, context);
  if (options.dryRun) return;
  const place = await placeOf(options, context);
  const price = hourlyPrice(model, instanceType, minInstances);
  announce(
    place,
    [
      ["stacks", Object.values(names.stacks).join(", ")],
      ["endpoint", `${names.endpoint} on ${minInstances} x ${instanceType}`],
      ["costs", price.words],
    ],
    context,
  );
  await requireConsent({ ...consent, question: "Deploy?" }, context);
  const { deploySpeech } = await import("../../lib/deploy/speech/speech-deployment.ts");
  const status = `speech-infra status ${model.id}${addedFlags(options.stage, options)}`;
  const made = await withProgress(
    place,
    { verbose: options.verbose, whereToLook: status },
    context,
    (operation) => deploySpeech(choice, operation, lacksBootstrap(preflight)),
  );
  tell(made, price, options, context);
}

/** @throws {SpeechError} CONFIGURATION */
export function speechChoice(modelId: string, options: SpeechDeployOptions): SpeechChoice {
  const { min = 1, max = Number.POSITIVE_INFINITY } = options;
  if (max < min) {
    throw new SpeechError("CONFIGURATION", `--max must be at least --min, got --min ${min} and --max ${max}`);
  }
  return {
    modelId,
    stage: options.stage,
    instanceType: options.instanceType,
    minInstances: options.min,
    maxInstances: options.max,
    scaleOn: options.scaleOn,
    build: options.build,
    imageUri: options.imageUri,
    options: deploymentOptions(options),
  };
}

interface HourlyPrice {
  readonly usd: number | null;
  readonly words: string;
}

/** For an order of magnitude. */
function hourlyPrice(model: SpeechCatalogEntry, instanceType: string, instances: number): HourlyPrice {
  if (instanceType !== model.instanceType) {
    return {
      usd: null,
      words: `the price of ${instanceType} is not known here; see https://aws.amazon.com/sagemaker/ai/pricing/`,
    };
  }
  const usd = model.usdPerHour * instances;
  return {
    usd,
    words: `about $${usd.toFixed(2)} an hour while it exists, used or not (us-east-1; remembered, not fetched)`,
  };
}

function tell(made: SpeechDeployment, price: HourlyPrice, where: AwsOptions, { output }: CliContext): void {
  const { endpointName, region, stage, modelId, imageUri, modelBucket } = made;
  const flags = addedFlags(stage, where);
  const anyStage = addedFlags(STAGE_DEFAULT, { ...where, region });
  const invoke = `speech-infra say "Hello." --speech-endpoint ${endpointName}${anyStage}`;
  output.result({ ...made, usdPerHour: price.usd, invokeCommand: invoke });
  for (const line of [
    "",
    ...textTable([
      ["endpoint", `${endpointName} (InService, ${made.minInstances} x ${made.instanceType})`],
      ["image", imageUri],
      ["weights", `s3://${modelBucket}`],
      ["costs", price.words],
    ]),
    "",
    "Try it:",
    `  ${invoke}`,
    "Give it to an agent:",
    `  agent-infra deploy --bedrock-model-id ID${flags}${modelId === "kokoro-82m" ? "" : ` --speech-model ${modelId}`}`,
    "Take it down:",
    `  speech-infra destroy ${modelId}${flags}`,
  ]) {
    output.line(line);
  }
}
