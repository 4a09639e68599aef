/** Who asks, and of which account. */
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { isSpeechError } from "../../errors.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, failed, ok } from "./finding.ts";

export interface Identity {
  readonly account: string;
  readonly arn: string;
}

/** @throws {SpeechError} that says what is wrong with the credentials. */
export async function callerIdentity(place: AwsPlace, signal: AbortSignal): Promise<Identity> {
  const client = new STSClient(checkOptions(place));
  const { Account, Arn } = await asking("sts:GetCallerIdentity", place.region, signal, () =>
    client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }),
  );
  return { account: Account ?? "", arn: Arn ?? "" };
}

/** @param expectedAccount fails when the credentials are another account's. */
export function identityCheck(
  identity: Promise<Identity>,
  { region }: AwsPlace,
  expectedAccount: string | undefined,
): Check {
  return {
    name: "credentials",
    subject: "the AWS credentials",
    needsAws: false,
    run: async () => {
      const who = await identity.catch((error: unknown) => error as Error);
      if (who instanceof Error) {
        const [what, ...next] = isSpeechError(who) ? who.message.split("; ") : [who.name];
        return failed("credentials", what!, next.join("; ") || "check `aws sts get-caller-identity`");
      }
      if (expectedAccount !== undefined && who.account !== expectedAccount) {
        return failed(
          "account",
          `the credentials belong to account ${who.account}, expected was ${expectedAccount}`,
          "choose another --profile",
        );
      }
      return ok("credentials", `account ${who.account}, region ${region}, as ${who.arn.split(":").at(-1)}`);
    },
  };
}
