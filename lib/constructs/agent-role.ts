/** What the agent may do: speak through one endpoint, ask one language model, and leave log, metrics and traces. */
import { Stack } from "aws-cdk-lib";
import type { CfnRole, Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { runtimeLogGroup } from "../config/deployment-names.ts";
import { SpeechError } from "../errors.ts";
import { invokeLanguageModel } from "./language-model.ts";
import {
  FIND_LOG_GROUP,
  FIND_LOG_STREAM,
  INVOKE_SPEECH,
  MAKE_LOG_GROUP,
  PULL_IMAGE,
  PUT_METRICS,
  REGISTRY_LOGIN,
  WRITE_LOG,
  WRITE_TRACES,
} from "./permissions.ts";
import { logGroupArns } from "./resource-names.ts";
import { serviceRole } from "./service-role.ts";

/** https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-permissions.html */
const METRIC_NAMESPACE = "bedrock-agentcore";
const LOG_NAME_UNKNOWN = "AgentCore ends the group's name with an id that is not known before the role is.";

export interface AgentRoleProps {
  readonly runtimeName: string;
  readonly repositoryArn: string;
  readonly speechEndpointName: string;
  readonly bedrockModelId: string;
}

/**
 * Tokens for the runtime's own identity are not here: since October 2025 AgentCore fetches them by its service-linked
 * role AWSServiceRoleForBedrockAgentCoreRuntimeIdentity
 * (https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/service-linked-roles.html).
 */
export function agentRole(scope: Construct, id: string, props: AgentRoleProps): Role {
  const stack = Stack.of(scope);
  const speechEndpoint = stack.formatArn({
    service: "sagemaker",
    resource: "endpoint",
    resourceName: requireEndpointName(props.speechEndpointName),
  });
  const [logGroup, logStreams] = logGroupArns(stack, runtimeLogGroup(`${props.runtimeName}-*`));
  const [anyLogGroup] = logGroupArns(stack, "*");
  const role = serviceRole(scope, id, {
    description: `AgentCore, for the runtime ${props.runtimeName}`,
    servicePrincipal: "bedrock-agentcore.amazonaws.com",
    grants: [
      { actions: INVOKE_SPEECH, resources: [speechEndpoint] },
      ...invokeLanguageModel(scope, props.bedrockModelId),
      { actions: PULL_IMAGE, resources: [props.repositoryArn] },
      { actions: REGISTRY_LOGIN, resources: ["*"], wildcard: "A login at ECR knows no resource." },
      {
        actions: [...MAKE_LOG_GROUP, ...FIND_LOG_STREAM, ...WRITE_LOG],
        resources: [logGroup, logStreams],
        wildcard: LOG_NAME_UNKNOWN,
      },
      {
        actions: FIND_LOG_GROUP,
        resources: [anyLogGroup],
        wildcard: "Log groups are found by listing them.",
      },
      { actions: WRITE_TRACES, resources: ["*"], wildcard: "X-Ray knows no resource." },
      {
        actions: PUT_METRICS,
        resources: ["*"],
        conditions: { StringEquals: { "cloudwatch:namespace": METRIC_NAMESPACE } },
        wildcard: "Metrics know no resource; the namespace is bound.",
      },
    ],
  });
  // cfn-lint 1.58.0's list of actions (W3037) lacks sagemaker:InvokeEndpointWithBidirectionalStream.
  const ignored = { config: { ignore_checks: ["W3037"] } };
  (role.node.defaultChild as CfnRole).addMetadata("cfn-lint", ignored);
  return role;
}

/** No asterisk: it would open every endpoint. @throws {SpeechError} CONFIGURATION */
function requireEndpointName(name: string): string {
  if (/^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/.test(name)) return name;
  throw new SpeechError(
    "CONFIGURATION",
    `speechEndpointName must be 1 to 63 letters, digits and hyphens, got "${name.slice(0, 80)}"`,
  );
}
