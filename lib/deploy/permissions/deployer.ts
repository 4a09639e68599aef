/**
 * What the person or pipeline must be allowed who types the commands. Stacks are changed through the roles of the CDK
 * bootstrap; what is here is done with the caller's own credentials. A test holds it against what lib/deploy calls.
 */
import { type AgentNames, type SpeechNames, STAGE_DEFAULT } from "../../config/deployment-names.ts";
import { QUALIFIER_DEFAULT } from "../preflight/bootstrap.ts";
import { agentParts, type DeploymentParts, speechParts } from "./deployment-parts.ts";
import { Arns, type Permission, type PolicyPlace } from "./policy.ts";

const ANY = ["*"];

export function speechDeployer(
  names: SpeechNames,
  place: PolicyPlace,
  qualifier = QUALIFIER_DEFAULT,
): Permission[] {
  const arns = new Arns(place);
  const parts = speechParts(names, place);
  const variant = `endpoint/${names.endpoint}/variant/${names.variant}`;
  return [
    ...everyDeployer(parts, arns, qualifier),
    {
      sid: "SyncWeights",
      reason: "uploads the prepared weights in parts, and takes up a sync that broke off",
      actions: ["s3:AbortMultipartUpload", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"],
      resources: arns.buckets(parts.buckets, "/*"),
    },
    {
      sid: "FindWeights",
      reason: "compares what is in the bucket with what is here",
      actions: ["s3:ListBucket", "s3:ListBucketMultipartUploads"],
      resources: arns.buckets(parts.buckets),
    },
    {
      sid: "SeeEndpoint",
      reason: "waits for the endpoint, and shows what it runs",
      actions: ["sagemaker:DescribeEndpoint", "sagemaker:DescribeEndpointConfig", "sagemaker:DescribeModel"],
      resources: arns.regional(
        "sagemaker",
        `endpoint/${names.endpoint}`,
        `endpoint-config/${names.endpoint}-*`,
        `model/${names.endpoint}-*`,
      ),
    },
    {
      sid: "Speak",
      reason: "say --speech-endpoint tries what was deployed",
      actions: [
        "sagemaker:InvokeEndpoint",
        "sagemaker:InvokeEndpointWithBidirectionalStream",
        "sagemaker:InvokeEndpointWithResponseStream",
      ],
      resources: arns.regional("sagemaker", `endpoint/${names.endpoint}`),
    },
    {
      sid: "SeeAlarms",
      reason: "status names the alarms that ring; CloudWatch describes them as a list",
      actions: ["cloudwatch:DescribeAlarms"],
      resources: ANY,
    },
    {
      sid: "SeeScaling",
      reason: "status shows the bounds of scaling; Application Auto Scaling describes no single target",
      actions: ["application-autoscaling:DescribeScalableTargets"],
      resources: ANY,
    },
    {
      sid: "MoveScaling",
      reason: `takes ${variant} off scaling while its instance type changes, and puts it back`,
      actions: [
        "application-autoscaling:DeregisterScalableTarget",
        "application-autoscaling:PutScalingPolicy",
        "application-autoscaling:RegisterScalableTarget",
      ],
      resources: arns.regional("application-autoscaling", "scalable-target/*"),
    },
    {
      sid: "ScaleWithAlarms",
      reason: "a policy put back makes its own alarms, in the caller's name",
      actions: ["cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm"],
      resources: arns.regional("cloudwatch", `alarm:TargetTracking-${variant}-*`),
    },
    {
      sid: "SeeQuotas",
      reason: "preflight looks whether the account may run such instances; quotas are found by listing them",
      actions: ["servicequotas:ListAWSDefaultServiceQuotas", "servicequotas:ListServiceQuotas"],
      resources: ANY,
    },
  ];
}

export function agentDeployer(
  names: AgentNames,
  place: PolicyPlace,
  qualifier = QUALIFIER_DEFAULT,
): Permission[] {
  const arns = new Arns(place);
  const stage = names.stage === STAGE_DEFAULT ? "" : `${names.stage}-`;
  return [
    ...everyDeployer(agentParts(names, place), arns, qualifier),
    {
      sid: "FindRuntimes",
      reason:
        "preflight looks whether AgentCore is here and the name is free; runtimes are found by listing them",
      actions: ["bedrock-agentcore:ListAgentRuntimes"],
      resources: ANY,
    },
    {
      sid: "SeeRuntime",
      reason: "waits for the runtime and its endpoint, and shows what runs",
      actions: ["bedrock-agentcore:GetAgentRuntime", "bedrock-agentcore:GetAgentRuntimeEndpoint"],
      resources: arns.regional("bedrock-agentcore", `runtime/${names.runtime}-*`),
    },
    {
      sid: "AskAgent",
      reason: "invoke and demo ask the deployed agent",
      actions: ["bedrock-agentcore:InvokeAgentRuntime"],
      resources: arns.regional("bedrock-agentcore", `runtime/${names.runtime}-*`),
    },
    {
      sid: "SeeLanguageModels",
      reason: "preflight looks whether the model may be used, and names profiles that fit",
      actions: [
        "bedrock:GetFoundationModel",
        "bedrock:GetFoundationModelAvailability",
        "bedrock:GetInferenceProfile",
        "bedrock:ListInferenceProfiles",
      ],
      resources: ANY,
    },
    {
      sid: "SeeSpeech",
      reason: "preflight looks whether the endpoint is there that the agent is to speak with",
      actions: ["sagemaker:DescribeEndpoint"],
      resources: arns.regional("sagemaker", `endpoint/${stage}speech-*`),
    },
  ];
}

/** What both sides' commands do: find stacks, change them through CDK's roles, build an image, read logs, clean up. */
function everyDeployer(parts: DeploymentParts, arns: Arns, qualifier: string): Permission[] {
  return [
    {
      sid: "ChangeStacks",
      reason: "CDK changes stacks and uploads templates by the roles of its bootstrap",
      actions: ["sts:AssumeRole"],
      resources: arns.roles(`cdk-${qualifier}-*`),
    },
    {
      sid: "FindStacks",
      reason: "finds what is deployed, and which agents use an endpoint; stacks are found by listing them",
      actions: ["cloudformation:DescribeStacks"],
      resources: ANY,
    },
    {
      sid: "SeeStacks",
      reason: "tells progress, the first failure and what a stack holds",
      actions: [
        "cloudformation:DescribeStackEvents",
        "cloudformation:GetTemplate",
        "cloudformation:ListStackResources",
      ],
      resources: arns.regional("cloudformation", ...parts.stacks.map((name) => `stack/${name}/*`)),
    },
    {
      sid: "SeeBootstrap",
      reason: "preflight looks whether CDK is bootstrapped",
      actions: ["ssm:GetParameter"],
      resources: arns.regional("ssm", `parameter/cdk-bootstrap/${qualifier}/*`),
    },
    {
      sid: "LogInToRegistry",
      reason: "Docker pushes with a login of the registry as a whole",
      actions: ["ecr:GetAuthorizationToken"],
      resources: ANY,
    },
    {
      sid: "PushImage",
      reason: "pushes the image, reads it back to check it, and takes away one that was refused",
      actions: [
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchDeleteImage",
        "ecr:BatchGetImage",
        "ecr:CompleteLayerUpload",
        "ecr:DescribeImages",
        "ecr:DescribeRepositories",
        "ecr:GetDownloadUrlForLayer",
        "ecr:InitiateLayerUpload",
        "ecr:ListTagsForResource",
        "ecr:PutImage",
        "ecr:UploadLayerPart",
      ],
      resources: arns.regional("ecr", `repository/${parts.repository}`),
    },
    {
      sid: "BuildRemotely",
      reason: "starts an image build where no Docker engine answers, follows and stops it",
      actions: ["codebuild:BatchGetBuilds", "codebuild:StartBuild", "codebuild:StopBuild"],
      resources: arns.regional("codebuild", `project/${parts.buildProject}`),
    },
    {
      sid: "SeeCodeBuild",
      reason: "preflight looks whether CodeBuild answers; projects are found by listing them",
      actions: ["codebuild:ListProjects"],
      resources: ANY,
    },
    {
      sid: "UploadSource",
      reason: "hands the image's source to CodeBuild",
      actions: ["s3:PutObject"],
      resources: arns.buckets(parts.buckets, "/*"),
    },
    {
      sid: "ReadLogs",
      reason: "shows the containers' and builds' logs",
      actions: [
        "logs:DescribeLogStreams",
        "logs:FilterLogEvents",
        "logs:GetLogEvents",
        "logs:ListTagsForResource",
        "logs:ListTagsLogGroup",
      ],
      resources: arns.logGroups(parts.logGroups),
    },
    {
      sid: "FindLogs",
      reason: "finds log groups that were kept; they are found by listing them",
      actions: ["logs:DescribeLogGroups"],
      resources: ANY,
    },
    {
      sid: "SeeKeptBuckets",
      reason: "names what destroy keeps, its size and what it costs; deletes it only with --purge",
      actions: [
        "s3:DeleteBucket",
        "s3:GetBucketTagging",
        "s3:ListBucketMultipartUploads",
        "s3:ListBucketVersions",
      ],
      resources: arns.buckets(parts.buckets),
    },
    {
      sid: "PurgeObjects",
      reason: "--purge empties the buckets before it deletes them",
      actions: ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion"],
      resources: arns.buckets(parts.buckets, "/*"),
    },
    {
      sid: "PurgeImagesAndLogs",
      reason: "--purge deletes repository and log groups",
      actions: ["ecr:DeleteRepository", "logs:DeleteLogGroup"],
      resources: [
        ...arns.regional("ecr", `repository/${parts.repository}`),
        ...arns.logGroups(parts.logGroups),
      ],
    },
  ];
}
