/** Names of what the stacks keep when they go. */
import {
  type AgentNames,
  buildBucketName,
  modelBucketName,
  type SpeechNames,
} from "../../config/deployment-names.ts";
import type { DeploymentPlace } from "../deployment-place.ts";

export type KeptKind = "bucket" | "repository" | "log group";

export interface KeptName {
  readonly kind: KeptKind;
  /** Of a log group also its beginning, with `*` at the end: a runtime's id is part of the name. */
  readonly name: string;
}

export function speechKeptNames(names: SpeechNames, { account, region }: DeploymentPlace): KeptName[] {
  return [
    { kind: "bucket", name: modelBucketName(names, account, region) },
    { kind: "bucket", name: buildBucketName(names.repository, account, region) },
    { kind: "repository", name: names.repository },
    { kind: "log group", name: names.logGroup },
    { kind: "log group", name: names.buildLogGroup },
  ];
}

export function agentKeptNames(names: AgentNames, { account, region }: DeploymentPlace): KeptName[] {
  return [
    { kind: "bucket", name: buildBucketName(names.repository, account, region) },
    { kind: "repository", name: names.repository },
    { kind: "log group", name: names.buildLogGroup },
    { kind: "log group", name: `/aws/bedrock-agentcore/runtimes/${names.runtime}-*` },
  ];
}
