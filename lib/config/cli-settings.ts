/** What the command line tools read from the environment. Flags win over these where both exist. */
import { type Environment, stringSetting } from "./environment.ts";

export interface CliSettings {
  /** A terminal that moves no cursor (TERM=dumb), or a CI log: progress comes as lines. */
  readonly plainTerminal: boolean;
  /** SPEECH_DEBUG: errors are printed with their causes and stack traces. */
  readonly debug: boolean;
  /** AWS_REGION, else AWS_DEFAULT_REGION; undefined leaves it to the profile. */
  readonly region: string | undefined;
  /** SPEECH_ENDPOINT_URL stands in for the SageMaker runtime, as it does for the agent. */
  readonly speechEndpointUrl: string | undefined;
  /** AWS_ENDPOINT_URL: an emulator that stands in for AWS; the SDK reads it too. */
  readonly awsEndpointUrl: string | undefined;
}

export function readCliSettings(env: Environment): CliSettings {
  return {
    plainTerminal: env.TERM === "dumb" || stringSetting(env, "CI", "false") !== "false",
    debug: stringSetting(env, "SPEECH_DEBUG", "0") !== "0",
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined,
    speechEndpointUrl: env.SPEECH_ENDPOINT_URL || undefined,
    awsEndpointUrl: env.AWS_ENDPOINT_URL || undefined,
  };
}

/** What --region and --profile choose. */
export interface AwsSelection {
  readonly region?: string;
  readonly profile?: string;
}

/**
 * Puts the flags where the AWS SDK looks, for this process and for what it starts: one way for every client, and
 * the SDK's own chain does the rest. With a profile, keys in the environment would win over it, so they go.
 */
export function applyAwsSelection({ region, profile }: AwsSelection, env: Environment): Environment {
  const chosen = {
    ...(region !== undefined && { AWS_REGION: region }),
    ...(profile !== undefined && {
      AWS_PROFILE: profile,
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_SESSION_TOKEN: undefined,
    }),
  };
  for (const [name, value] of Object.entries(chosen)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return { ...env, ...chosen };
}
