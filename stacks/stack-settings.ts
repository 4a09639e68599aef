/** What every stack is given alike: where it goes, who deploys it, what bounds its roles. docs/adr/0010 says why. */
import { DefaultStackSynthesizer, PermissionsBoundary, type StackProps } from "aws-cdk-lib";
import { type DeploymentOptions, requireOptions } from "../lib/constructs/deployment-options.ts";

export interface StackPlace {
  readonly stage: string;
  /** Without account and region the templates fit any: 123456789012 and eu-west-1 are asked of CloudFormation. */
  readonly account?: string;
  readonly region?: string;
  readonly options?: DeploymentOptions;
}

/** @throws {SpeechError} CONFIGURATION */
export function stackSettings(place: StackPlace): StackProps & { readonly options: DeploymentOptions } {
  const options = requireOptions(place.options ?? {});
  const { qualifier, permissionsBoundary: boundary } = options;
  return {
    env: { account: place.account, region: place.region },
    synthesizer: new DefaultStackSynthesizer(qualifier === undefined ? {} : { qualifier }),
    ...(boundary !== undefined && {
      permissionsBoundary: boundary.startsWith("arn:")
        ? PermissionsBoundary.fromArn(boundary)
        : PermissionsBoundary.fromName(boundary),
    }),
    options,
  };
}
