/** Where a command works: the flags --region, --profile and --stage, and what the environment says. */
import { applyAwsSelection, readCliSettings } from "../lib/config/cli-settings.ts";
import type { AwsPlace } from "../lib/deploy/aws-clients.ts";
import type { CliContext } from "./run.ts";

export interface AwsOptions {
  readonly region?: string;
  readonly profile?: string;
}

export interface StageOptions extends AwsOptions {
  readonly stage: string;
}

/** @throws {SpeechError} CONFIGURATION when no region is chosen anywhere. */
export async function selectAws(options: AwsOptions, { env }: CliContext): Promise<AwsPlace> {
  const settings = readCliSettings(applyAwsSelection(options, env));
  const { resolvePlace } = await import("../lib/deploy/aws-clients.ts");
  const { region, profile } = options;
  return { ...(await resolvePlace(settings)), chosen: { region, profile } };
}
