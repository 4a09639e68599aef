/**
 * Which account and region a command works on: asked of AWS before anything else, with a limit on how long missing
 * credentials may take to be noticed. The CDK would look for them for most of a minute.
 */
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { awsCredentials } from "../client/sagemaker/credentials.ts";
import { SpeechError } from "../errors.ts";
import { type AwsPlace, clientOptions, resolvePlace } from "./aws-clients.ts";
import { asking } from "./aws-failure.ts";

export interface DeploymentPlace extends AwsPlace {
  readonly account: string;
}

export interface PlaceChoice {
  /** Else the environment's, else the profile's. */
  readonly region?: string | undefined;
  /** A guard: any other account is refused. */
  readonly account?: string | undefined;
  readonly endpointUrl?: string | undefined;
}

/** @throws {SpeechError} CONFIGURATION, ACCESS_DENIED: no region, no or expired credentials, another account. */
export async function findPlace(choice: PlaceChoice, signal: AbortSignal): Promise<DeploymentPlace> {
  // Before any client is made: what is missing is told in seconds.
  await awsCredentials()();
  const place = await resolvePlace({ region: choice.region, awsEndpointUrl: choice.endpointUrl });
  const client = new STSClient({ ...clientOptions(place), maxAttempts: 2 });
  const { Account } = await asking("sts:GetCallerIdentity", place.region, signal, () =>
    client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }),
  );
  if (choice.account !== undefined && choice.account !== Account) {
    throw new SpeechError(
      "CONFIGURATION",
      `these credentials belong to account ${Account}, not to --account ${choice.account.slice(0, 20)}; ` +
        "choose another --profile; nothing was changed",
    );
  }
  return { ...place, account: Account! };
}
