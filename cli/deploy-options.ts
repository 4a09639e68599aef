/** Flags of the commands that change an account. */
import { Option } from "commander";
import { SPEECH_MODEL_IDS } from "../lib/config/speech-catalog.ts";
import type { BuildWay } from "../lib/deploy/images/image.ts";
import { SpeechError } from "../lib/errors.ts";
import { integerParser } from "./options.ts";

const BUILD_CHOICES: readonly BuildWay[] = ["auto", "docker", "remote"];

/** More than an account is ever given without asking. */
const INSTANCES_MAX = 100;

export const accountOption = () =>
  new Option("--account <id>", "refuse to work on any other account than this").argParser(accountParser);

export const yesOption = () =>
  new Option("--yes", "agree to what is listed, without being asked").default(false);

export const dryRunOption = () => new Option("--dry-run", "check what is needed, then stop").default(false);

export const bootstrapOption = () =>
  new Option("--bootstrap", "prepare account and region for the CDK first, where that is missing").default(
    false,
  );

export const verboseDeployOption = () =>
  new Option("--verbose", "show the lines of a build's log").default(false);

/** Where the image comes from. */
export const imageOptions = () => [
  new Option("--build <where>", "who builds the image: Docker here, or CodeBuild")
    .choices(BUILD_CHOICES)
    .default("auto"),
  new Option("--image-uri <uri>", "an image in ECR instead of one that is built").conflicts("build"),
];

/** What the agent thinks and speaks with. */
export const deployedModelOptions = () => [
  new Option(
    "--bedrock-model-id <id>",
    "model or inference profile of Bedrock that writes the answers",
  ).makeOptionMandatory(),
  new Option("--speech-endpoint <name>", "SageMaker endpoint it speaks through").conflicts("speechModel"),
  new Option("--speech-model <model>", "or the endpoint of this model, in the same stage")
    .choices(SPEECH_MODEL_IDS)
    .default("kokoro-82m"),
];

export const failOption = () => new Option("--fail", "exit with 1 when there are changes").default(false);

export const outOption = () =>
  new Option("--out <folder>", "folder to write the templates to").default("cdk.out");

/** How an account wants its resources. */
export const accountRuleOptions = () => [
  new Option("--permissions-boundary <policy>", "name or ARN of the policy that bounds every role made"),
  qualifierOption(),
  new Option("--kms <key-arn>", "key that buckets, repository and logs are encrypted with; else AWS's own"),
];

export const qualifierOption = () =>
  new Option("--qualifier <text>", "qualifier of the CDK bootstrap, if not CDK's own");

export const capacityOptions = () => [
  new Option("--instance-type <type>", "SageMaker instance type; else the model's"),
  new Option("--min <n>", "least instances").argParser(integerParser("--min", 1, INSTANCES_MAX)),
  new Option("--max <n>", "most instances").argParser(integerParser("--max", 1, INSTANCES_MAX)),
  new Option("--scale-on <metric>", "what another instance is added for")
    .choices(["concurrency", "invocations"])
    .default("concurrency"),
];

export const purgeOption = () =>
  new Option("--purge", "delete bucket, repository and logs too; with --yes unasked").default(false);

export function accountParser(text: string): string {
  if (/^\d{12}$/.test(text)) return text;
  throw new SpeechError("CONFIGURATION", `--account must be 12 digits, got "${text.slice(0, 20)}"`);
}

export interface AccountRuleOptions {
  readonly permissionsBoundary?: string;
  readonly qualifier?: string;
  readonly kms?: string;
}

/** As the stacks take them. */
export function deploymentOptions({ permissionsBoundary, qualifier, kms }: AccountRuleOptions) {
  return {
    ...(permissionsBoundary !== undefined && { permissionsBoundary }),
    ...(qualifier !== undefined && { qualifier }),
    ...(kms !== undefined && { kmsKeyArn: kms }),
  };
}
