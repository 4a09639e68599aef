/** A check would rather not know than wait: fewer tries than a deployment makes. */
import { type AwsPlace, type ClientOptions, clientOptions } from "../aws-clients.ts";

export function checkOptions(place: AwsPlace): ClientOptions {
  return { ...clientOptions(place), maxAttempts: 2 };
}
