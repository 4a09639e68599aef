/**
 * Every action that a role of ours may do, in named lists, each with its reason. The roles say on which resources.
 * Nothing here ends in an asterisk.
 */

/** Layers of an image are fetched by SageMaker and AgentCore in the role's name. */
export const PULL_IMAGE = [
  "ecr:BatchCheckLayerAvailability",
  "ecr:BatchGetImage",
  "ecr:GetDownloadUrlForLayer",
];

/** A login at the registry as a whole: ECR knows no resource for it. */
export const REGISTRY_LOGIN = ["ecr:GetAuthorizationToken"];

/** A build sends layers, then the manifest that names them. */
export const PUSH_IMAGE = [
  ...PULL_IMAGE,
  "ecr:InitiateLayerUpload",
  "ecr:UploadLayerPart",
  "ecr:CompleteLayerUpload",
  "ecr:PutImage",
];

/**
 * CodeBuild fetches the source zip, after a look at the bucket
 * (https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html).
 */
export const READ_SOURCE = ["s3:GetObject", "s3:GetObjectVersion"];
export const READ_SOURCE_BUCKET = ["s3:GetBucketAcl", "s3:GetBucketLocation"];

/** SageMaker copies the prepared weights before it starts the container. */
export const READ_OBJECTS = ["s3:GetObject"];
/** ... and lists what lies under the prefix. */
export const LIST_OBJECTS = ["s3:ListBucket"];

/** Objects encrypted with the account's own key are read with it. */
export const DECRYPT = ["kms:Decrypt"];

/** A container's or build's lines; the log group itself is made by the stack, with its retention. */
export const WRITE_LOG = ["logs:CreateLogStream", "logs:PutLogEvents"];
/** SageMaker and AgentCore look whether an instance's stream is there. */
export const FIND_LOG_STREAM = ["logs:DescribeLogStreams"];

/** AgentCore makes a log group for each runtime endpoint, and looks whether it is there. */
export const MAKE_LOG_GROUP = ["logs:CreateLogGroup"];
export const FIND_LOG_GROUP = ["logs:DescribeLogGroups"];

/** CPU, memory, GPU of the instances; requests of the runtime. CloudWatch knows no resource, only a namespace. */
export const PUT_METRICS = ["cloudwatch:PutMetricData"];

/**
 * During an update SageMaker looks at the alarms that roll it back, in the role's name
 * (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-configuration.html).
 */
export const WATCH_ALARMS = ["cloudwatch:DescribeAlarms"];

/** Traces of a turn, and which turns to trace. X-Ray knows no resource. */
export const WRITE_TRACES = [
  "xray:PutTraceSegments",
  "xray:PutTelemetryRecords",
  "xray:GetSamplingRules",
  "xray:GetSamplingTargets",
];

/** `bidi` speaks over the bidirectional stream, `batch-stream` over a response stream, `batch` in one answer. */
export const INVOKE_SPEECH = [
  "sagemaker:InvokeEndpointWithBidirectionalStream",
  "sagemaker:InvokeEndpointWithResponseStream",
  "sagemaker:InvokeEndpoint",
];

/** ConverseStream is allowed by the first, Converse (a model that cannot stream) by the second. */
export const INVOKE_LANGUAGE_MODEL = ["bedrock:InvokeModelWithResponseStream", "bedrock:InvokeModel"];
