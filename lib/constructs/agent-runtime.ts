/** The agent on AgentCore Runtime, and the endpoint by which it is called. */
import {
  AgentRuntimeArtifact,
  ProtocolType,
  Runtime,
  type RuntimeEndpoint,
} from "aws-cdk-lib/aws-bedrockagentcore";
import type { Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { runtimeLogGroup } from "../config/deployment-names.ts";
import { SpeechError } from "../errors.ts";
import type { DeploymentOptions } from "./deployment-options.ts";
import { keptLogGroup } from "./kept-log-group.ts";

/** https://docs.aws.amazon.com/bedrock-agentcore-control/latest/APIReference/API_CreateAgentRuntime.html */
const RUNTIME_NAME_PATTERN = /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/;

export interface AgentRuntimeProps {
  /** `[a-zA-Z][a-zA-Z0-9_]{0,47}` */
  readonly runtimeName: string;
  /** By which callers reach it; it follows every new version. */
  readonly endpointName: string;
  readonly role: Role;
  /** linux/arm64 */
  readonly imageUri: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly options: DeploymentOptions;
}

export class AgentRuntime extends Construct {
  readonly runtime: Runtime;
  readonly endpoint: RuntimeEndpoint;

  constructor(scope: Construct, id: string, props: AgentRuntimeProps) {
    super(scope, id);
    this.runtime = new Runtime(this, "Runtime", {
      runtimeName: requireRuntimeName(props.runtimeName),
      description: "A Strands agent whose answers are spoken",
      agentRuntimeArtifact: AgentRuntimeArtifact.fromImageUri(props.imageUri),
      // The class would add permissions of its own, wider than ours.
      executionRole: props.role.withoutPolicyUpdates(),
      protocolConfiguration: ProtocolType.HTTP,
      environmentVariables: { ...props.environment },
    });
    // Made before the endpoint is: otherwise AgentCore makes it, without an end date.
    const logGroup = keptLogGroup(
      this,
      "Log",
      runtimeLogGroup(`${this.runtime.agentRuntimeId}-${props.endpointName}`),
      props.options,
    );
    this.endpoint = this.runtime.addEndpoint(props.endpointName, {
      description: "Called by agent-infra and by applications",
      version: this.runtime.agentRuntimeVersion!,
    });
    this.endpoint.node.addDependency(logGroup);
  }
}

/** @throws {SpeechError} CONFIGURATION */
export function requireRuntimeName(name: string): string {
  if (RUNTIME_NAME_PATTERN.test(name)) return name;
  throw new SpeechError(
    "CONFIGURATION",
    `a runtime's name must be 1 to 48 letters, digits and underscores that begin with a letter, got "${name.slice(0, 80)}"`,
  );
}
