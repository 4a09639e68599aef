/** How a deployment is, in one word, decided from what its parts say. */

export const HEALTHS = ["healthy", "in-progress", "unhealthy", "not-deployed"] as const;
export type Health = (typeof HEALTHS)[number];

/** What a status is judged by. */
export interface HealthSigns {
  /** CloudFormation's words, undefined for a stack that is not there. */
  readonly stacks: readonly (string | undefined)[];
  /** Of the stack that makes the service: without it nothing is deployed. */
  readonly serviceStack: string | undefined;
  /** Words of SageMaker or AgentCore; empty when the service itself is not there. */
  readonly service: readonly string[];
  readonly alarms: number;
}

/** SageMaker's, then AgentCore's (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeEndpoint.html). */
const MOVING = /^(Creating|Updating|SystemUpdating|RollingBack|Deleting|CREATING|UPDATING|DELETING)$/;
const WELL = /^(InService|READY)$/;

/** Something that moves is not judged yet; something broken counts more than something missing. */
export function judgeHealth({ stacks, serviceStack, service, alarms }: HealthSigns): Health {
  const known = stacks.filter((status) => status !== undefined);
  if (known.some((status) => status.endsWith("_IN_PROGRESS"))) return "in-progress";
  if (service.some((status) => MOVING.test(status))) return "in-progress";
  if (known.some(isBroken)) return "unhealthy";
  if (service.some((status) => !WELL.test(status)) || alarms > 0) return "unhealthy";
  if (service.length > 0) return "healthy";
  // The stack says that it made a service, and there is none.
  return serviceStack === undefined ? "not-deployed" : "unhealthy";
}

/** A stack rolled back from an update serves as before it; one rolled back from its creation is empty. */
export function isBroken(stackStatus: string): boolean {
  return stackStatus.endsWith("_FAILED") || stackStatus === "ROLLBACK_COMPLETE";
}

/** Its last operation came to nothing, whatever it serves. */
export function hasFailedOperation(stackStatus: string): boolean {
  return isBroken(stackStatus) || stackStatus.includes("ROLLBACK");
}
