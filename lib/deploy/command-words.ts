/** Commands as they are typed next, in messages: with what was chosen by flags, or they would work elsewhere. */
import { STAGE_DEFAULT } from "../config/deployment-names.ts";

/** What --region and --profile said; what the environment says holds for the next command anyway. */
export interface ChosenByFlag {
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/** ` --stage dev --region eu-west-1`, nothing for the stage that is meant anyway. */
export function addedFlags(stage: string, { region, profile }: ChosenByFlag = {}): string {
  return flags({
    "--stage": stage === STAGE_DEFAULT ? undefined : stage,
    "--region": region,
    "--profile": profile,
  });
}

/** ` --max 4`; what is undefined is left out. */
export function flags(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([flag, value]) => ` ${flag} ${value}`)
    .join("");
}

/** How an account wants its resources, as flags again. */
export function accountFlags(options: {
  readonly permissionsBoundary?: string | undefined;
  readonly qualifier?: string | undefined;
  readonly kmsKeyArn?: string | undefined;
}): string {
  return flags({
    "--permissions-boundary": options.permissionsBoundary,
    "--qualifier": options.qualifier,
    "--kms": options.kmsKeyArn,
  });
}
