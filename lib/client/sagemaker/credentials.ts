/**
 * AWS credentials by the SDK's own chain (environment, profiles, SSO, web identity, container, instance), with a
 * limit on how long a missing set may take to be noticed: on a host where the instance metadata address is a black
 * hole the chain would otherwise wait for it again and again before it says no.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from "@smithy/types";
import { type Environment, processEnvironment } from "../../config/environment.ts";
import { isSpeechError, SpeechError } from "../../errors.ts";

/** Instance metadata is on the machine's own link: it answers in milliseconds or not at all. */
const METADATA_ONLY_LIMIT_MS = 2_000;
/** SSO and role chains make a few calls over the internet. */
const CONFIGURED_LIMIT_MS = 15_000;

const NO_CREDENTIALS =
  "no AWS credentials found; run `aws configure` or `aws sso login`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_PROFILE for a named profile)";

/** @param profile that was chosen by flag or environment. */
function noCredentials(profile: string | undefined): string {
  return profile === undefined
    ? NO_CREDENTIALS
    : `the profile "${profile}" gives no AWS credentials; \`aws configure list-profiles\` lists those there are, ` +
        `\`aws configure --profile ${profile}\` or \`aws configure sso --profile ${profile}\` sets it up`;
}

/** For every message about credentials that were good once. */
export function expiredCredentials(profile = chosenProfile()): string {
  const flag = profile === undefined ? "" : ` --profile ${profile}`;
  return `the AWS credentials have expired; run \`aws sso login${flag}\` (or renew them where they come from)`;
}

function chosenProfile(): string | undefined {
  return processEnvironment().AWS_PROFILE || undefined;
}

/** One provider for the whole process: it caches, and refreshes before the set expires. */
export function awsCredentials(): AwsCredentialIdentityProvider {
  shared ??= limitedProvider(
    defaultProvider({ timeout: 1_000, maxRetries: 0 }),
    anySourceConfigured(processEnvironment()) ? CONFIGURED_LIMIT_MS : METADATA_ONLY_LIMIT_MS,
  );
  return shared;
}
let shared: AwsCredentialIdentityProvider | undefined;

/**
 * Bounds a provider in time and gives its failure our words.
 * @throws {SpeechError} CONFIGURATION, from the provider returned.
 */
export function limitedProvider(
  provider: AwsCredentialIdentityProvider,
  limitMs: number,
  profile = chosenProfile(),
): AwsCredentialIdentityProvider {
  return async (properties) => {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new SpeechError("CONFIGURATION", noCredentials(profile), { details: { waitedMs: limitMs } }));
      }, limitMs);
    });
    try {
      return complete(await Promise.race([provider(properties), limit]), profile);
    } catch (cause) {
      if (isSpeechError(cause)) throw cause;
      throw new SpeechError("CONFIGURATION", failureWords(cause, profile), { cause });
    } finally {
      clearTimeout(timer);
    }
  };
}

function complete(
  credentials: AwsCredentialIdentity | undefined,
  profile: string | undefined,
): AwsCredentialIdentity {
  if (!credentials?.accessKeyId || !credentials.secretAccessKey) {
    throw new SpeechError("CONFIGURATION", noCredentials(profile));
  }
  return credentials;
}

/** Names of the SDK's errors tell whether nothing is set up, or something that is set up failed. */
function failureWords(cause: unknown, profile: string | undefined): string {
  const message = cause instanceof Error ? cause.message : "";
  if (/expired|sso session/i.test(message)) {
    return expiredCredentials(profile);
  }
  return noCredentials(profile);
}

/** False when only the instance metadata service is left to ask. */
export function anySourceConfigured(env: Environment): boolean {
  const home = env.HOME || env.USERPROFILE || homedir();
  const files = [
    env.AWS_SHARED_CREDENTIALS_FILE || join(home, ".aws", "credentials"),
    env.AWS_CONFIG_FILE || join(home, ".aws", "config"),
  ];
  return SOURCE_VARIABLES.some((name) => env[name]) || files.some((path) => existsSync(path));
}

const SOURCE_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];
