/** Policies for both sides: the document on stdout as it is, the reasons on stderr. */
import { Option } from "commander";
import { readCliSettings } from "../lib/config/cli-settings.ts";
import type { Permission, PolicyPlace } from "../lib/deploy/permissions/policy.ts";
import { accountParser, qualifierOption } from "./deploy-options.ts";
import { jsonOption, profileOption, regionOption, stageOption, unaskedOption } from "./options.ts";
import type { CliContext } from "./run.ts";
import { textTable } from "./text-table.ts";

export interface PermissionOptions {
  readonly stage: string;
  readonly region?: string;
  readonly account?: string;
  readonly qualifier?: string;
  readonly for: "deployer" | "cloudformation";
  readonly reasons: boolean;
}

export const permissionOptions = () => [
  new Option("--for <whom>", "who types the commands, or the execution role of the CDK bootstrap")
    .choices(["deployer", "cloudformation"])
    .default("deployer"),
  new Option("--reasons", "a table of what each statement is for, on stderr").default(false),
  stageOption(),
  regionOption(),
  profileOption(),
  new Option("--account <id>", "account in the policy's ARNs; else any").argParser(accountParser),
  qualifierOption(),
  unaskedOption(),
  jsonOption(),
];

/** What is not said is any. */
export function policyPlace({ region, account }: PermissionOptions, { env }: CliContext): PolicyPlace {
  return { region: region ?? readCliSettings(env).region ?? "*", account: account ?? "*" };
}

export async function showPolicy(
  permissions: readonly Permission[],
  { reasons }: PermissionOptions,
  { output }: CliContext,
): Promise<void> {
  const { MANAGED_POLICY_MAX_CHARS, policyChars, policyDocument } = await import(
    "../lib/deploy/permissions/policy.ts"
  );
  const document = policyDocument(permissions);
  output.result(document);
  output.line(JSON.stringify(document, null, 2));
  if (reasons) {
    for (const line of textTable(permissions.map(({ sid, reason }) => [sid, reason]))) output.note(line);
  }
  const chars = policyChars(document);
  if (chars > MANAGED_POLICY_MAX_CHARS) {
    output.note(
      `${chars} characters: a managed policy takes ${MANAGED_POLICY_MAX_CHARS}; part its statements over two.`,
    );
  }
}
