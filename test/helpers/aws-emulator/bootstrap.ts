/**
 * `cdk bootstrap` for the emulator, in half a second: CDK's own template, put up without CDK, which would look for the
 * end only every few seconds. Tests that begin with a fresh account each can afford it.
 */
import { readFile } from "node:fs/promises";
import {
  CloudFormationClient,
  CreateStackCommand,
  waitUntilStackCreateComplete,
} from "@aws-sdk/client-cloudformation";
import { type AwsEmulator, EMULATED_ACCOUNT, EMULATED_REGION } from "./aws-emulator.ts";

const TEMPLATE = new URL(
  "../../../node_modules/@aws-cdk/toolkit-lib/lib/api/bootstrap/bootstrap-template.yaml",
  import.meta.url,
);
export const BOOTSTRAP_STACK = "CDKToolkit";

/** @param qualifier CDK's default when absent. */
export async function bootstrapEmulator(emulator: AwsEmulator, qualifier?: string): Promise<void> {
  const client = new CloudFormationClient({
    endpoint: emulator.url,
    region: EMULATED_REGION,
    credentials: { accessKeyId: EMULATED_ACCOUNT, secretAccessKey: "emulated" },
  });
  const parameters = {
    // As `cdk bootstrap` sets them.
    CloudFormationExecutionPolicies: "arn:aws:iam::aws:policy/AdministratorAccess",
    FileAssetsBucketKmsKeyId: "AWS_MANAGED_KEY",
    ...(qualifier !== undefined && { Qualifier: qualifier }),
  };
  await client.send(
    new CreateStackCommand({
      StackName: BOOTSTRAP_STACK,
      TemplateBody: await readFile(TEMPLATE, "utf8"),
      Capabilities: ["CAPABILITY_NAMED_IAM"],
      Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      })),
    }),
  );
  await waitUntilStackCreateComplete(
    { client, maxWaitTime: 30, minDelay: 0.1, maxDelay: 0.1 },
    { StackName: BOOTSTRAP_STACK },
  );
}
