/** What the agent may do: speak through one endpoint, ask one language model, and leave log, metrics and traces. */
import { Stack } from "aws-cdk-lib";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
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

/** https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-permissions.html */
const METRIC_NAMESPACE = "bedrock-agentcore";

export interface AgentRoleProps {
  readonly runtimeName: string;
  readonly repositoryArn: string;
  readonly speechEndpointName: string;
  readonly bedrockModelId: string;
}

/**
 * Tokens for the runtime's own identity are not here: since October 2025 AgentCore fetches them by its service-linked
 * role AWSServiceRoleForBedrockAgentCoreRuntimeIdentity.
 */
export function agentRole(scope: Construct, id: string, props: AgentRoleProps): Role {
  const stack = Stack.of(scope);
  const allow = (actions: string[], resources: string[], conditions = {}) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
  const speechEndpoint = stack.formatArn({
    service: "sagemaker",
    resource: "endpoint",
    resourceName: props.speechEndpointName,
  });
  const logGroups = (name: string) => stack.formatArn({ service: "logs", resource: `log-group:${name}` });
  // The runtime's id, which ends the name, is not known before the role is.
  const ownLogGroups = logGroups(runtimeLogGroupName(`${props.runtimeName}-*`));
  return new Role(scope, id, {
    description: `AgentCore, for the runtime ${props.runtimeName}`,
    assumedBy: new ServicePrincipal("bedrock-agentcore.amazonaws.com", {
      conditions: {
        StringEquals: { "aws:SourceAccount": stack.account },
        ArnLike: { "aws:SourceArn": stack.formatArn({ service: "bedrock-agentcore", resource: "*" }) },
      },
    }),
    inlinePolicies: {
      agent: new PolicyDocument({
        statements: [
          allow(INVOKE_SPEECH, [speechEndpoint]),
          ...invokeLanguageModel(scope, props.bedrockModelId),
          allow(PULL_IMAGE, [props.repositoryArn]),
          allow(REGISTRY_LOGIN, ["*"]),
          allow(MAKE_LOG_GROUP, [ownLogGroups]),
          allow(FIND_LOG_STREAM, [ownLogGroups]),
          allow(WRITE_LOG, [ownLogGroups, `${ownLogGroups}:log-stream:*`]),
          allow(FIND_LOG_GROUP, [logGroups("*")]),
          allow(WRITE_TRACES, ["*"]),
          allow(PUT_METRICS, ["*"], { StringEquals: { "cloudwatch:namespace": METRIC_NAMESPACE } }),
        ],
      }),
    },
  });
}

/** AgentCore's choice: one group for each endpoint of a runtime, `<runtime id>-<endpoint>`. */
export function runtimeLogGroupName(runtimeIdAndEndpoint: string): string {
  return `/aws/bedrock-agentcore/runtimes/${runtimeIdAndEndpoint}`;
}
