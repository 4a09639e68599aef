/**
 * What CloudFormation must be allowed to do in the account: a policy for the execution role of the CDK bootstrap
 * (`cdk bootstrap --cloudformation-execution-policies ARN`), which is an administrator otherwise.
 */
import type { AgentNames, SpeechNames } from "../../config/deployment-names.ts";
import { QUALIFIER_DEFAULT } from "../preflight/bootstrap.ts";
import { agentParts, type DeploymentParts, speechParts } from "./deployment-parts.ts";
import { Arns, type Permission, type PolicyPlace } from "./policy.ts";
import { RESOURCE_TYPE_ACTIONS, type ResourceType } from "./resource-types.ts";

/** IAM checks these against no resource. */
const UNBOUND: ReadonlySet<string> = new Set([
  "application-autoscaling:DescribeScalableTargets",
  "application-autoscaling:DescribeScalingPolicies",
  "bedrock-agentcore:CreateAgentRuntime",
  "logs:DescribeLogGroups",
]);
/** CloudFormation shortens a stack's name in the names that it makes up for roles, to no less than this. */
const STACK_NAME_KEPT_CHARS = 24;

export function speechCloudFormation(
  names: SpeechNames,
  place: PolicyPlace,
  qualifier = QUALIFIER_DEFAULT,
): Permission[] {
  const arns = new Arns(place);
  const sageMaker = (kind: string) => arns.regional("sagemaker", `${kind}/${names.endpoint}-*`);
  return [
    ...everySide(speechParts(names, place), arns, qualifier),
    ofType("AWS::SageMaker::Model", sageMaker("model")),
    ofType("AWS::SageMaker::EndpointConfig", sageMaker("endpoint-config")),
    ofType("AWS::SageMaker::Endpoint", [
      ...arns.regional("sagemaker", `endpoint/${names.endpoint}`),
      ...sageMaker("endpoint-config"),
    ]),
    ofTypes(
      "Scaling",
      ["AWS::ApplicationAutoScaling::ScalableTarget", "AWS::ApplicationAutoScaling::ScalingPolicy"],
      arns.regional("application-autoscaling", "scalable-target/*"),
    ),
    ofType("AWS::CloudWatch::Alarm", arns.regional("cloudwatch", `alarm:${names.endpoint}-*`)),
    ofType("AWS::CloudWatch::Dashboard", arns.dashboards(names.endpoint)),
    {
      sid: "ScaleWithAlarms",
      reason: "a scaling policy makes its own alarms, in its maker's name",
      actions: ["cloudwatch:DeleteAlarms", "cloudwatch:DescribeAlarms", "cloudwatch:PutMetricAlarm"],
      resources: arns.regional("cloudwatch", `alarm:TargetTracking-endpoint/${names.endpoint}/*`),
    },
    serviceLinkedRole("ScalingRole", "sagemaker.application-autoscaling.amazonaws.com", arns),
  ].concat(unbound(SPEECH_TYPES));
}

export function agentCloudFormation(
  names: AgentNames,
  place: PolicyPlace,
  qualifier = QUALIFIER_DEFAULT,
): Permission[] {
  const arns = new Arns(place);
  const agentCore = (...resources: string[]) => arns.regional("bedrock-agentcore", ...resources);
  const identities = "workload-identity-directory/default";
  const runtime = `runtime/${names.runtime}-*`;
  return [
    ...everySide(agentParts(names, place), arns, qualifier),
    ofType("AWS::BedrockAgentCore::Runtime", [
      ...agentCore(runtime, identities, `${identities}/workload-identity/${names.runtime}-*`),
    ]),
    ofType("AWS::BedrockAgentCore::RuntimeEndpoint", agentCore(runtime)),
    serviceLinkedRole("IdentityRole", "runtime-identity.bedrock-agentcore.amazonaws.com", arns),
  ].concat(unbound(AGENT_TYPES));
}

/** Types that both sides have. */
const EVERY_TYPE: readonly ResourceType[] = [
  "AWS::CodeBuild::Project",
  "AWS::ECR::Repository",
  "AWS::IAM::Role",
  "AWS::Logs::LogGroup",
  "AWS::S3::Bucket",
  "AWS::S3::BucketPolicy",
];
export const SPEECH_TYPES: readonly ResourceType[] = [
  ...EVERY_TYPE,
  "AWS::ApplicationAutoScaling::ScalableTarget",
  "AWS::ApplicationAutoScaling::ScalingPolicy",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::SageMaker::Endpoint",
  "AWS::SageMaker::EndpointConfig",
  "AWS::SageMaker::Model",
];
export const AGENT_TYPES: readonly ResourceType[] = [
  ...EVERY_TYPE,
  "AWS::BedrockAgentCore::Runtime",
  "AWS::BedrockAgentCore::RuntimeEndpoint",
];

function everySide(parts: DeploymentParts, arns: Arns, qualifier: string): Permission[] {
  const roles = arns.roles(...parts.stacks.map((name) => `${name.slice(0, STACK_NAME_KEPT_CHARS)}*`));
  const buckets = arns.buckets(parts.buckets);
  return [
    ofType("AWS::CodeBuild::Project", arns.regional("codebuild", `project/${parts.buildProject}`)),
    ofType("AWS::ECR::Repository", arns.regional("ecr", `repository/${parts.repository}`)),
    ofType("AWS::IAM::Role", [...new Set(roles)]),
    ofType("AWS::Logs::LogGroup", arns.logGroups(parts.logGroups)),
    ofTypes("S3Bucket", ["AWS::S3::Bucket", "AWS::S3::BucketPolicy"], buckets),
    {
      sid: "PassRoles",
      reason: "hands the roles it makes to the services that run in them",
      actions: ["iam:PassRole"],
      resources: [...new Set(roles)],
      conditions: { StringEquals: { "iam:PassedToService": parts.passedTo } },
    },
    {
      sid: "ReadBootstrapVersion",
      reason: "every template of CDK asks for the bootstrap's version",
      actions: ["ssm:GetParameters"],
      resources: arns.regional("ssm", `parameter/cdk-bootstrap/${qualifier}/version`),
    },
  ];
}

/** `AWS::S3::Bucket` gives S3Bucket. */
function ofType(type: ResourceType, resources: readonly string[]): Permission {
  return ofTypes(type.replace(/^AWS|::/g, ""), [type], resources);
}

/** Types that are bound to the same resources: a policy has room for so much. */
function ofTypes(sid: string, types: readonly ResourceType[], resources: readonly string[]): Permission {
  const actions = types.flatMap((type): readonly string[] => RESOURCE_TYPE_ACTIONS[type]);
  return {
    sid,
    reason: `makes, changes, reads and deletes ${types.join(" and ")}`,
    actions: actions.filter((action) => !UNBOUND.has(action)),
    resources,
  };
}

function unbound(types: readonly ResourceType[]): Permission[] {
  const actions = types.flatMap((type): readonly string[] => RESOURCE_TYPE_ACTIONS[type]);
  return [
    {
      sid: "WithoutResource",
      reason: "IAM binds these to no resource",
      actions: actions.filter((action) => UNBOUND.has(action)),
      resources: ["*"],
    },
  ];
}

function serviceLinkedRole(sid: string, service: string, arns: Arns): Permission {
  return {
    sid,
    reason: `makes the role that ${service} works in, once in an account`,
    actions: ["iam:CreateServiceLinkedRole"],
    resources: arns.roles(`aws-service-role/${service}/*`),
    conditions: { StringEquals: { "iam:AWSServiceName": service } },
  };
}
