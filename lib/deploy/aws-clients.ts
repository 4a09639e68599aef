/**
 * Clients of AWS as every command makes them. Credentials, profile and AWS_ENDPOINT_URL are found by the SDK's own
 * chain (lib/config's applyAwsSelection puts --profile and --region where it looks); this adds what it does not know.
 */
import { S3Client } from "@aws-sdk/client-s3";

export interface AwsPlace {
  readonly region: string;
  /** AWS_ENDPOINT_URL, when an emulator stands in for AWS. */
  readonly endpointUrl?: string | undefined;
}

/** For every other client: `new ECRClient(clientOptions(place))`. */
export function clientOptions({ region }: AwsPlace): { region: string; maxAttempts: number } {
  return { region, maxAttempts: 5 };
}

/** An emulator has no host name for each bucket. */
export function s3Client(place: AwsPlace): S3Client {
  return new S3Client({ ...clientOptions(place), forcePathStyle: place.endpointUrl !== undefined });
}
