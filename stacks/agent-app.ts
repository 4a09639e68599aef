/** The agent's side as a CDK app: its own foundation, and the runtime. */
import { App, type AppProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { agentNames, requireStage } from "../lib/config/deployment-names.ts";
import { tagAsOurs } from "../lib/constructs/tags.ts";
import { AgentFoundationStack } from "./agent-foundation-stack.ts";
import { AgentRuntimeStack } from "./agent-runtime-stack.ts";
import { type StackPlace, stackSettings } from "./stack-settings.ts";

export interface AgentStacksProps extends StackPlace {
  /** Id or ARN of a model or inference profile that can ConverseStream. */
  readonly bedrockModelId: string;
  /** In the same account and region. */
  readonly speechEndpointName: string;
  /** Tag in this side's repository. Either this or imageUri. */
  readonly imageTag?: string;
  /** An image elsewhere in ECR. */
  readonly imageUri?: string;
}

export interface AgentAppProps extends AgentStacksProps {
  /** Where templates are written. @default a temporary folder */
  readonly outdir?: string;
  readonly context?: AppProps["context"];
}

/** @throws {SpeechError} CONFIGURATION */
export function agentApp(props: AgentAppProps): App {
  const app = new App({ outdir: props.outdir, context: props.context, analyticsReporting: false });
  addAgentStacks(app, props);
  return app;
}

/** @throws {SpeechError} CONFIGURATION */
export function addAgentStacks(scope: Construct, props: AgentStacksProps): void {
  const names = agentNames(requireStage(props.stage));
  const shared = { ...stackSettings(props), names };
  const foundation = new AgentFoundationStack(scope, names.stacks.foundation, shared);
  const runtime = new AgentRuntimeStack(scope, names.stacks.runtime, {
    ...shared,
    image: { imageTag: props.imageTag, imageUri: props.imageUri },
    bedrockModelId: props.bedrockModelId,
    speechEndpointName: props.speechEndpointName,
  });
  runtime.addStackDependency(foundation, "the image is pulled at the start");
  for (const stack of [foundation, runtime]) tagAsOurs(stack, names.stage);
}
