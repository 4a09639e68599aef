/** What the `cdk` command tells the app it starts: https://docs.aws.amazon.com/cdk/v2/guide/environments.html */
import type { Environment } from "./environment.ts";

export interface CdkSettings {
  /** Of the credentials that `cdk` found; undefined makes templates that fit any. */
  readonly account: string | undefined;
  readonly region: string | undefined;
}

export function readCdkSettings(env: Environment): CdkSettings {
  return { account: env.CDK_DEFAULT_ACCOUNT || undefined, region: env.CDK_DEFAULT_REGION || undefined };
}
