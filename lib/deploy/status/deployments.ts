/** Everything of this product in an account and region, whatever its stage. */
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { OUTPUTS, speechNames, TAGS } from "../../config/deployment-names.ts";
import { SPEECH_MODEL_IDS, type SpeechModelId } from "../../config/speech-catalog.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { endpointStatus } from "../preflight/name-rules.ts";
import { type StackState, stackState } from "../stack-state.ts";

export interface SpeechDeploymentSummary {
  readonly modelId: SpeechModelId;
  readonly stage: string;
  readonly endpoint: string;
  /** SageMaker's word; null when there are stacks and no endpoint. */
  readonly status: string | null;
}

/** @throws {SpeechError} also when there are no credentials. */
export async function listDeployments(
  place: AwsPlace,
  signal: AbortSignal,
): Promise<SpeechDeploymentSummary[]> {
  const stacks = await ourStacks(place, signal);
  const found = speechDeployments(stacks);
  return await Promise.all(
    found.map(async (deployment) => ({
      ...deployment,
      status: (await endpointStatus(place, deployment.endpoint, signal)) ?? null,
    })),
  );
}

async function ourStacks(place: AwsPlace, signal: AbortSignal): Promise<StackState[]> {
  const client = new CloudFormationClient(clientOptions(place));
  const found: StackState[] = [];
  let NextToken: string | undefined;
  do {
    const page = await asking("cloudformation:DescribeStacks", place.region, signal, () =>
      client.send(new DescribeStacksCommand({ NextToken }), { abortSignal: signal }),
    );
    found.push(...(page.Stacks ?? []).map(stackState));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return found.filter(({ tags }) => tags[TAGS.productKey] === TAGS.product);
}

/** One for each model and stage of which there is a stack; names say which it is. */
export function speechDeployments(
  stacks: readonly Pick<StackState, "name" | "tags" | "outputs">[],
): Omit<SpeechDeploymentSummary, "status">[] {
  const found = new Map<string, Omit<SpeechDeploymentSummary, "status">>();
  for (const { name, tags, outputs } of stacks) {
    const stage = tags[TAGS.stageKey];
    if (stage === undefined) continue;
    for (const modelId of SPEECH_MODEL_IDS) {
      const names = speechNames(modelId, stage);
      if (!Object.values(names.stacks).includes(name)) continue;
      const endpoint = outputs[OUTPUTS.endpointName] ?? names.endpoint;
      found.set(names.endpoint, { modelId, stage, endpoint });
    }
  }
  return [...found.values()];
}
