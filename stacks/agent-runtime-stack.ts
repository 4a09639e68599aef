/** The agent that runs, and the role it runs in. It knows its speech endpoint by name only. */
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type AgentNames, OUTPUTS } from "../lib/config/deployment-names.ts";
import { agentRole } from "../lib/constructs/agent-role.ts";
import { AgentRuntime } from "../lib/constructs/agent-runtime.ts";
import { containerImage, type ImageChoice } from "../lib/constructs/container-image.ts";
import type { DeploymentOptions } from "../lib/constructs/deployment-options.ts";

export interface AgentRuntimeStackProps extends StackProps {
  readonly names: AgentNames;
  readonly image: ImageChoice;
  readonly bedrockModelId: string;
  readonly speechEndpointName: string;
  readonly options: DeploymentOptions;
}

export class AgentRuntimeStack extends Stack {
  constructor(scope: Construct, id: string, props: AgentRuntimeStackProps) {
    super(scope, id, { ...props, description: "Voice agent: AgentCore runtime and its endpoint" });
    const { names, bedrockModelId, speechEndpointName, options } = props;
    const image = containerImage(this, names.repository, props.image);
    const role = agentRole(this, "AgentRole", {
      runtimeName: names.runtime,
      repositoryArn: image.repositoryArn,
      speechEndpointName,
      bedrockModelId,
    });
    const agent = new AgentRuntime(this, "Agent", {
      runtimeName: names.runtime,
      endpointName: names.runtimeEndpoint,
      role,
      imageUri: image.uri,
      environment: {
        HOST: "0.0.0.0",
        AWS_REGION: this.region,
        SPEECH_ENDPOINT_NAME: speechEndpointName,
        BEDROCK_MODEL_ID: bedrockModelId,
      },
      options,
    });
    for (const [key, value] of Object.entries({
      [OUTPUTS.runtimeArn]: agent.runtime.agentRuntimeArn,
      [OUTPUTS.runtimeId]: agent.runtime.agentRuntimeId,
      [OUTPUTS.runtimeEndpointName]: names.runtimeEndpoint,
      [OUTPUTS.imageUri]: image.uri,
      [OUTPUTS.speechEndpointName]: speechEndpointName,
      [OUTPUTS.bedrockModelId]: bedrockModelId,
    })) {
      new CfnOutput(this, key, { value });
    }
  }
}
