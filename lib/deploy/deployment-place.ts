/**
 * Which account and region a command works on: asked of AWS before anything else, with a limit on how long missing
 * credentials may take to be noticed. The CDK would look for them for most of a minute.
 */
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { awsCredentials } from "../client/sagemaker/credentials.ts";
import { isAbortError, isSpeechError, SpeechError } from "../errors.ts";
import { type AwsPlace, clientOptions } from "./aws-clients.ts";

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

/** @throws {SpeechError} CONFIGURATION: no region, no or expired credentials, another account. */
export async function findPlace(choice: PlaceChoice, signal: AbortSignal): Promise<DeploymentPlace> {
  await awsCredentials()();
  const region = choice.region ?? (await regionOfProfile());
  const place = { region, endpointUrl: choice.endpointUrl };
  const account = await callerAccount(place, signal);
  if (choice.account !== undefined && choice.account !== account) {
    throw new SpeechError(
      "CONFIGURATION",
      `these credentials belong to account ${account}, not to --account ${choice.account.slice(0, 20)}; ` +
        "choose another --profile; nothing was changed",
    );
  }
  return { ...place, account };
}

async function regionOfProfile(): Promise<string> {
  try {
    return await new STSClient({}).config.region();
  } catch (cause) {
    throw new SpeechError(
      "CONFIGURATION",
      "no AWS region is chosen; give --region, e.g. --region us-east-1, or set AWS_REGION",
      { cause },
    );
  }
}

async function callerAccount(place: AwsPlace, signal: AbortSignal): Promise<string> {
  try {
    const client = new STSClient({ ...clientOptions(place), maxAttempts: 2 });
    const { Account } = await client.send(new GetCallerIdentityCommand({}), { abortSignal: signal });
    return Account!;
  } catch (cause) {
    signal.throwIfAborted();
    if (isSpeechError(cause) || isAbortError(cause)) throw cause;
    throw new SpeechError("CONFIGURATION", identityWords(cause as Error, place), { cause });
  }
}

function identityWords({ name, message }: Error, { region, endpointUrl }: AwsPlace): string {
  if (/Expired/.test(name) || /expired/i.test(message)) {
    return "the AWS credentials have expired; run `aws sso login` (or renew them where they come from)";
  }
  if (/InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClient|InvalidAccessKeyId/.test(name)) {
    return "AWS does not accept these credentials; check them with `aws sts get-caller-identity`";
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|TimeoutError/.test(`${name} ${message}`)) {
    return endpointUrl === undefined
      ? `AWS is not reached in region "${region}"; check --region and the network`
      : `nobody answers at AWS_ENDPOINT_URL ${endpointUrl}; start the emulator, or unset it`;
  }
  return `AWS does not say who these credentials belong to (${name}); check them with \`aws sts get-caller-identity\``;
}
