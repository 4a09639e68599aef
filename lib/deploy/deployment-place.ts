/**
 * Which account and region a command works on: asked of AWS before anything else, with a limit on how long missing
 * credentials may take to be noticed. The CDK would look for them for most of a minute.
 */
import { awsCredentials } from "../client/sagemaker/credentials.ts";
import { SpeechError } from "../errors.ts";
import type { AwsPlace } from "./aws-clients.ts";
import { callerIdentity } from "./preflight/identity.ts";

export interface DeploymentPlace extends AwsPlace {
  readonly account: string;
}

/**
 * @param expectedAccount a guard: any other account is refused.
 * @throws {SpeechError} CONFIGURATION, ACCESS_DENIED: no or expired credentials, another account.
 */
export async function findPlace(
  place: AwsPlace,
  expectedAccount: string | undefined,
  signal: AbortSignal,
): Promise<DeploymentPlace> {
  // Before any client is made: what is missing is told in seconds.
  await awsCredentials()();
  const { account } = await callerIdentity(place, signal);
  if (expectedAccount !== undefined && expectedAccount !== account) {
    throw new SpeechError(
      "CONFIGURATION",
      `these credentials belong to account ${account}, not to --account ${expectedAccount}; ` +
        "choose another --profile; nothing was changed",
    );
  }
  return { ...place, account };
}
