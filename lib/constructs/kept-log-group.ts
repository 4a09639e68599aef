/** A log group that is ours before its service writes to it, so that it has an end date, and that outlives its stack. */
import { RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type DeploymentOptions, LOG_RETENTION_DAYS_DEFAULT } from "./deployment-options.ts";

export function keptLogGroup(
  scope: Construct,
  id: string,
  logGroupName: string,
  { kmsKeyArn, logRetentionDays = LOG_RETENTION_DAYS_DEFAULT }: DeploymentOptions,
): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName,
    retention: logRetentionDays,
    ...(kmsKeyArn !== undefined && { encryptionKey: Key.fromKeyArn(scope, `${id}Key`, kmsKeyArn) }),
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
