/** What SageMaker may do in the endpoint's name: pull its image, read its weights, write its log and its metrics. */
import { Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import {
  DECRYPT,
  FIND_LOG_STREAM,
  LIST_OBJECTS,
  PULL_IMAGE,
  PUT_METRICS,
  READ_OBJECTS,
  REGISTRY_LOGIN,
  WATCH_ALARMS,
  WRITE_LOG,
} from "./permissions.ts";
import { alarmArn, bucketArn, logGroupArns } from "./resource-names.ts";
import { serviceRole } from "./service-role.ts";

/** SageMaker's namespaces: https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html */
const METRIC_NAMESPACES = ["AWS/SageMaker", "/aws/sagemaker/Endpoints", "aws/sagemaker/Endpoints"];

export interface ExecutionRoleProps {
  readonly endpointName: string;
  readonly repositoryArn: string;
  readonly modelBucketName: string;
  /** Ends in a slash; its first part is common to all weights. */
  readonly modelPrefix: string;
  readonly logGroupName: string;
  readonly kmsKeyArn: string | undefined;
}

export function executionRole(scope: Construct, id: string, props: ExecutionRoleProps): Role {
  const { kmsKeyArn } = props;
  // All weights that were ever synced there: a fleet rolled back to the ones before must find them when it grows.
  const weights = `${props.modelPrefix.split("/")[0]}/*`;
  const stack = Stack.of(scope);
  const bucket = bucketArn(stack, props.modelBucketName);
  const [logGroup, logStreams] = logGroupArns(stack, props.logGroupName);
  return serviceRole(scope, id, {
    description: `SageMaker, for the endpoint ${props.endpointName}`,
    servicePrincipal: "sagemaker.amazonaws.com",
    grants: [
      { actions: PULL_IMAGE, resources: [props.repositoryArn] },
      { actions: REGISTRY_LOGIN, resources: ["*"], wildcard: "A login at ECR knows no resource." },
      {
        actions: READ_OBJECTS,
        resources: [`${bucket}/${weights}`],
        wildcard: "The weights are several files, each set under a prefix of its own.",
      },
      {
        actions: LIST_OBJECTS,
        resources: [bucket],
        conditions: { StringLike: { "s3:prefix": weights } },
      },
      {
        actions: WRITE_LOG,
        resources: [logGroup, logStreams],
        wildcard: "Each instance names a log stream of its own.",
      },
      { actions: FIND_LOG_STREAM, resources: [logGroup] },
      {
        actions: PUT_METRICS,
        resources: ["*"],
        conditions: { StringEquals: { "cloudwatch:namespace": METRIC_NAMESPACES } },
        wildcard: "Metrics know no resource; the namespace is bound.",
      },
      {
        actions: WATCH_ALARMS,
        resources: [alarmArn(stack, `${props.endpointName}-*`)],
        wildcard: "The endpoint's alarms begin with its name.",
      },
      ...(kmsKeyArn === undefined ? [] : [{ actions: DECRYPT, resources: [kmsKeyArn] }]),
    ],
  });
}
