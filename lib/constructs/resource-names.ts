/** ARNs of resources that are known by name only, in whatever partition the stack goes to. */
import { ArnFormat, type Stack } from "aws-cdk-lib";

export function bucketArn(stack: Stack, bucketName: string): string {
  return stack.formatArn({ service: "s3", region: "", account: "", resource: bucketName });
}

export function repositoryArn(stack: Stack, repositoryName: string): string {
  return stack.formatArn({ service: "ecr", resource: "repository", resourceName: repositoryName });
}

/** The group, and its streams. */
export function logGroupArns(stack: Stack, logGroupName: string): [group: string, streams: string] {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  const group = stack.formatArn({
    service: "logs",
    resource: "log-group",
    resourceName: logGroupName,
    arnFormat,
  });
  return [group, `${group}:*`];
}

export function alarmArn(stack: Stack, alarmName: string): string {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return stack.formatArn({ service: "cloudwatch", resource: "alarm", resourceName: alarmName, arnFormat });
}
