/** Has `cdk bootstrap` been run in this account and region? */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { AwsPlace } from "../aws-clients.ts";
import { asking, isMissing } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, failed, ok } from "./finding.ts";
import type { Identity } from "./identity.ts";

export const QUALIFIER_DEFAULT = "hnb659fds";
/** What the templates themselves ask for: DefaultStackSynthesizer of aws-cdk-lib 2.276, MINIMUM_BOOTSTRAP_STACK_VERSION. */
const VERSION_MIN = 6;

export function bootstrapCheck(
  place: AwsPlace,
  identity: Promise<Identity>,
  qualifier = QUALIFIER_DEFAULT,
): Check {
  const next = async () => {
    const { account } = await identity;
    const more = qualifier === QUALIFIER_DEFAULT ? "" : ` --qualifier ${qualifier}`;
    return `npx aws-cdk bootstrap aws://${account}/${place.region}${more}`;
  };
  return {
    name: "bootstrap",
    subject: "the CDK bootstrap",
    needsAws: true,
    run: async (signal) => {
      const version = await bootstrapVersion(place, qualifier, signal);
      if (version === undefined) {
        return failed("bootstrap", `CDK is not bootstrapped in ${place.region}`, await next());
      }
      return version < VERSION_MIN
        ? failed(
            "bootstrap",
            `the CDK bootstrap is version ${version}, ${VERSION_MIN} or newer is needed`,
            await next(),
          )
        : ok("bootstrap", `version ${version}`);
    },
  };
}

async function bootstrapVersion(
  place: AwsPlace,
  qualifier: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const client = new SSMClient(checkOptions(place));
  const Name = `/cdk-bootstrap/${qualifier}/version`;
  return await asking("ssm:GetParameter", place.region, signal, async () => {
    try {
      const { Parameter } = await client.send(new GetParameterCommand({ Name }), { abortSignal: signal });
      return Number(Parameter?.Value);
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw cause;
    }
  });
}
