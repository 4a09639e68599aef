/** What either side consists of, under the names of one stage: what permissions are bound to. */
import {
  type AgentNames,
  buildBucketName,
  modelBucketName,
  runtimeLogGroup,
  type SpeechNames,
} from "../../config/deployment-names.ts";
import type { PolicyPlace } from "./policy.ts";

export interface DeploymentParts {
  readonly stacks: readonly string[];
  readonly buckets: readonly string[];
  readonly repository: string;
  readonly buildProject: string;
  readonly logGroups: readonly string[];
  /** Services that the stacks' roles are handed to. */
  readonly passedTo: readonly string[];
}

export function speechParts(names: SpeechNames, { account, region }: PolicyPlace): DeploymentParts {
  return {
    stacks: Object.values(names.stacks),
    buckets: [modelBucketName(names, account, region), buildBucketName(names.repository, account, region)],
    repository: names.repository,
    buildProject: names.buildProject,
    logGroups: [names.logGroup, names.buildLogGroup],
    passedTo: ["sagemaker.amazonaws.com", "codebuild.amazonaws.com"],
  };
}

export function agentParts(names: AgentNames, { account, region }: PolicyPlace): DeploymentParts {
  return {
    stacks: Object.values(names.stacks),
    buckets: [buildBucketName(names.repository, account, region)],
    repository: names.repository,
    buildProject: names.buildProject,
    logGroups: [runtimeLogGroup(`${names.runtime}-*`), names.buildLogGroup],
    passedTo: ["bedrock-agentcore.amazonaws.com", "codebuild.amazonaws.com"],
  };
}
