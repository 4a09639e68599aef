/** What an account may ask of every stack, whichever side it belongs to. From the CDK context or from a command. */
import { SpeechError } from "../errors.ts";

export interface DeploymentOptions {
  /** Policy every role of ours is bounded by: its name or ARN. @default none */
  readonly permissionsBoundary?: string;
  /** Qualifier of the CDK bootstrap: 1 to 10 lower-case letters and digits. @default CDK's own, hnb659fds */
  readonly qualifier?: string;
  /**
   * Key that buckets, repository and log groups are encrypted with. Its policy must let the region's CloudWatch Logs use
   * it. Not made here: a key must outlive the kept bucket, and no later deploy could find it again.
   * @default AWS's own keys
   */
  readonly kmsKeyArn?: string;
  /** Days that log groups keep their lines; one of CloudWatch's steps. @default 30 */
  readonly logRetentionDays?: number;
  /** SNS topic that alarms tell. @default none: `status` shows them */
  readonly alarmTopicArn?: string;
}

export const LOG_RETENTION_DAYS_DEFAULT = 30;

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const LOG_RETENTION_STEPS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const ARN_PATTERN = /^arn:aws[a-z-]*:/;

/** @throws {SpeechError} CONFIGURATION */
export function requireOptions(options: DeploymentOptions): DeploymentOptions {
  const { permissionsBoundary, qualifier, kmsKeyArn, logRetentionDays, alarmTopicArn } = options;
  if (qualifier !== undefined && !/^[a-z0-9]{1,10}$/.test(qualifier)) {
    throw refusal("qualifier", "1 to 10 lower-case letters and digits", qualifier);
  }
  if (permissionsBoundary !== undefined && !/^[\w+=,.@/:-]{1,300}$/.test(permissionsBoundary)) {
    throw refusal("permissionsBoundary", "the name or ARN of a policy", permissionsBoundary);
  }
  for (const [name, arn, service] of [
    ["kmsKeyArn", kmsKeyArn, ":kms:"],
    ["alarmTopicArn", alarmTopicArn, ":sns:"],
  ] as const) {
    if (arn !== undefined && !(ARN_PATTERN.test(arn) && arn.includes(service))) {
      throw refusal(name, `an ARN of ${service.slice(1, -1).toUpperCase()}`, arn);
    }
  }
  if (logRetentionDays !== undefined && !LOG_RETENTION_STEPS.includes(logRetentionDays)) {
    throw refusal("logRetentionDays", `one of ${LOG_RETENTION_STEPS.join(", ")}`, String(logRetentionDays));
  }
  return options;
}

function refusal(name: string, allowed: string, got: string): SpeechError {
  return new SpeechError("CONFIGURATION", `${name} must be ${allowed}, got "${got.slice(0, 120)}"`);
}
