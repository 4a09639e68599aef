/** What SageMaker may do in the endpoint's name: pull its image, read its weights, write its log and its metrics. */
import { Stack } from "aws-cdk-lib";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import {
  DECRYPT,
  FIND_LOG_STREAM,
  LIST_OBJECTS,
  PULL_IMAGE,
  PUT_METRICS,
  READ_OBJECTS,
  REGISTRY_LOGIN,
  WRITE_LOG,
} from "./permissions.ts";

/** SageMaker's namespaces: https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html */
const METRIC_NAMESPACES = ["AWS/SageMaker", "/aws/sagemaker/Endpoints", "aws/sagemaker/Endpoints"];

export interface ExecutionRoleProps {
  readonly endpointName: string;
  readonly repositoryArn: string;
  readonly modelBucketName: string;
  /** Ends in a slash. */
  readonly modelPrefix: string;
  readonly logGroupArn: string;
  readonly kmsKeyArn: string | undefined;
}

export function executionRole(scope: Construct, id: string, props: ExecutionRoleProps): Role {
  const { modelPrefix, logGroupArn, kmsKeyArn } = props;
  const allow = (actions: string[], resources: string[], conditions = {}) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
  const bucketArn = Stack.of(scope).formatArn({
    service: "s3",
    region: "",
    account: "",
    resource: props.modelBucketName,
  });
  return new Role(scope, id, {
    description: `SageMaker, for the endpoint ${props.endpointName}`,
    assumedBy: new ServicePrincipal("sagemaker.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(scope).account } },
    }),
    inlinePolicies: {
      endpoint: new PolicyDocument({
        statements: [
          allow(PULL_IMAGE, [props.repositoryArn]),
          allow(REGISTRY_LOGIN, ["*"]),
          allow(READ_OBJECTS, [`${bucketArn}/${modelPrefix}*`]),
          allow(LIST_OBJECTS, [bucketArn], { StringLike: { "s3:prefix": `${modelPrefix}*` } }),
          allow(WRITE_LOG, [logGroupArn, `${logGroupArn}:*`]),
          allow(FIND_LOG_STREAM, [logGroupArn]),
          allow(PUT_METRICS, ["*"], { StringEquals: { "cloudwatch:namespace": METRIC_NAMESPACES } }),
          ...(kmsKeyArn === undefined ? [] : [allow(DECRYPT, [kmsKeyArn])]),
        ],
      }),
    },
  });
}
