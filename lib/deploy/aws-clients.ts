/**
 * Clients of AWS as every command makes them. Credentials, profile and AWS_ENDPOINT_URL are found by the SDK's own
 * chain (lib/config's applyAwsSelection puts --profile and --region where it looks); this adds what it does not know.
 */
import { S3Client } from "@aws-sdk/client-s3";
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from "@smithy/core/config";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { awsCredentials } from "../client/sagemaker/credentials.ts";
import type { CliSettings } from "../config/cli-settings.ts";
import { SpeechError } from "../errors.ts";
import type { ChosenByFlag } from "./command-words.ts";

export interface AwsPlace {
  readonly region: string;
  /** AWS_ENDPOINT_URL, when an emulator stands in for AWS. */
  readonly endpointUrl?: string | undefined;
  /** For the commands that messages name. */
  readonly chosen?: ChosenByFlag | undefined;
}

/**
 * The region of the environment, else the profile's.
 * @throws {SpeechError} CONFIGURATION
 */
export async function resolvePlace({
  region,
  awsEndpointUrl,
}: Pick<CliSettings, "region" | "awsEndpointUrl">): Promise<AwsPlace> {
  return { region: region ?? (await profileRegion()), endpointUrl: awsEndpointUrl };
}

async function profileRegion(): Promise<string> {
  try {
    return await loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS)();
  } catch (cause) {
    throw new SpeechError(
      "CONFIGURATION",
      "no AWS region is chosen; give --region, set AWS_REGION, or run `aws configure set region NAME`",
      { cause },
    );
  }
}

export interface ClientOptions {
  readonly region: string;
  readonly maxAttempts: number;
  /** The SDK's chain, which says in seconds, and in our words, that there are none. */
  readonly credentials: AwsCredentialIdentityProvider;
}

/** For every other client: `new ECRClient(clientOptions(place))`. */
export function clientOptions({ region }: AwsPlace): ClientOptions {
  return { region, maxAttempts: 5, credentials: awsCredentials() };
}

/** An emulator has no host name for each bucket. */
export function s3Client(place: AwsPlace): S3Client {
  return new S3Client({ ...clientOptions(place), forcePathStyle: place.endpointUrl !== undefined });
}

/** How often a long operation is asked how far it is: AWS takes minutes, an emulator a moment. */
export function pollIntervalMs({ endpointUrl }: AwsPlace): number {
  return endpointUrl === undefined ? 3_000 : 100;
}
