/** The agent that a command asks: one that is deployed, by its stage or ARN, or one that listens at a URL. */
import { type AgentTarget, parseAgentTarget } from "../../lib/client/agent-client.ts";
import { awsCredentials } from "../../lib/client/sagemaker/credentials.ts";
import { applyAwsSelection } from "../../lib/config/cli-settings.ts";
import { agentNames, OUTPUTS } from "../../lib/config/deployment-names.ts";
import type { AwsPlace } from "../../lib/deploy/aws-clients.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import { SpeechError } from "../../lib/errors.ts";
import { type StageOptions, selectAws } from "../aws-selection.ts";
import { requireHttpUrl } from "../options.ts";
import { requireReachable } from "../reachable.ts";
import type { CliContext } from "../run.ts";

export interface DeployedAgentOptions extends StageOptions {
  readonly endpointUrl?: string;
  readonly runtimeArn?: string;
}

/** @throws {SpeechError} CONFIGURATION, STACK_NOT_DEPLOYED, ... before anything is asked of the agent. */
export async function findAgent(options: DeployedAgentOptions, context: CliContext): Promise<AgentTarget> {
  const { endpointUrl, runtimeArn, stage } = options;
  if (endpointUrl !== undefined) {
    const url = requireHttpUrl("--endpoint-url", endpointUrl);
    await requireReachable("--endpoint-url", url, "agent-infra serve", context.signal);
    return { kind: "url", url };
  }
  if (runtimeArn !== undefined) {
    const target = parseAgentTarget(runtimeArn);
    if (target.kind !== "runtime") {
      throw new SpeechError("CONFIGURATION", "--runtime-arn must be an ARN; for a URL give --endpoint-url");
    }
    applyAwsSelection(options, context.env);
    await awsCredentials()();
    return target;
  }
  const place = await selectAws(options, context);
  const stack = await runtimeStack(stage, place, context.signal);
  const target = parseAgentTarget(stack.output(OUTPUTS.runtimeArn));
  return target.kind === "runtime" ? { ...target, endpointName: agentNames(stage).runtimeEndpoint } : target;
}

/** Outputs of the stage's runtime stack. */
export async function runtimeStack(
  stage: string,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<{ output(key: string): string }> {
  const name = agentNames(stage).stacks.runtime;
  const [{ StackReader }, { requireOutput }] = await Promise.all([
    import("../../lib/deploy/status/stack-report.ts"),
    import("../../lib/deploy/stack-state.ts"),
  ]);
  const stack = await new StackReader(place, signal).read(name);
  const next = `agent-infra deploy --bedrock-model-id ID${addedFlags(stage, place.chosen)}`;
  return { output: (key) => requireOutput(stack, name, key, next) };
}
