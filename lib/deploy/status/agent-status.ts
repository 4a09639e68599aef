/** How the agent's side is: stacks, runtime, its endpoint, and whether this machine's source is what runs. */
import {
  BedrockAgentCoreControlClient,
  GetAgentRuntimeCommand,
  GetAgentRuntimeEndpointCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { type AgentNames, OUTPUTS } from "../../config/deployment-names.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking, isMissing } from "../aws-failure.ts";
import { type Drift, findDrift, localContent } from "./drift.ts";
import { type Health, judgeHealth } from "./health.ts";
import { StackReader, type StackReport, stackReport } from "./stack-report.ts";

export interface RuntimeReport {
  readonly name: string;
  readonly arn: string;
  readonly status: string;
  readonly version: string;
  readonly imageUri: string | null;
  readonly failureReason: string | null;
  /** By which callers reach it. */
  readonly endpoint: {
    readonly name: string;
    readonly status: string;
    readonly liveVersion: string | null;
    readonly targetVersion: string | null;
  } | null;
}

export interface AgentStatus {
  readonly health: Health;
  readonly stage: string;
  readonly region: string;
  readonly stacks: readonly StackReport[];
  readonly runtime: RuntimeReport | null;
  /** What it speaks with, and which language model it asks. */
  readonly speechEndpoint: string | null;
  readonly bedrockModelId: string | null;
  readonly drift: readonly Drift[];
  readonly lastError: string | null;
}

/** Changes nothing. @throws {SpeechError} ACCESS_DENIED, TRANSPORT_FAILED, ... */
export async function agentStatus(
  names: AgentNames,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const reader = new StackReader(place, signal);
  const stackNames = [names.stacks.foundation, names.stacks.runtime];
  const stacks = await Promise.all(stackNames.map((name) => reader.read(name)));
  const service = stacks[1];
  const outputs = service?.outputs ?? {};
  const runtimeId = outputs[OUTPUTS.runtimeId];
  const [runtime, lastError] = await Promise.all([
    runtimeId === undefined ? undefined : readRuntime(place, names, runtimeId, signal),
    reader.lastError(stacks),
  ]);
  const local = runtime === undefined ? {} : await localContent("agent", "cpu");
  return {
    health: judgeHealth({
      stacks: stacks.map((stack) => stack?.status),
      serviceStack: service?.status,
      service: runtime === undefined ? [] : [runtime.status, runtime.endpoint?.status ?? "missing"],
      alarms: 0,
    }),
    stage: names.stage,
    region: place.region,
    stacks: stackNames.map((name, index) => stackReport(name, stacks[index])),
    runtime: runtime ?? null,
    speechEndpoint: outputs[OUTPUTS.speechEndpointName] ?? null,
    bedrockModelId: outputs[OUTPUTS.bedrockModelId] ?? null,
    drift: findDrift({ imageUri: runtime?.imageUri ?? null, modelPrefix: null }, local, names.repository),
    lastError: runtime?.failureReason ?? lastError ?? null,
  };
}

async function readRuntime(
  place: AwsPlace,
  names: AgentNames,
  agentRuntimeId: string,
  signal: AbortSignal,
): Promise<RuntimeReport | undefined> {
  const client = new BedrockAgentCoreControlClient(clientOptions(place));
  const options = { abortSignal: signal };
  const orAbsent = <Answer>(action: string, call: () => Promise<Answer>) =>
    asking(action, place.region, signal, async () => {
      try {
        return await call();
      } catch (cause) {
        if (isMissing(cause)) return undefined;
        throw cause;
      }
    });
  const [runtime, endpoint] = await Promise.all([
    orAbsent("bedrock-agentcore:GetAgentRuntime", () =>
      client.send(new GetAgentRuntimeCommand({ agentRuntimeId }), options),
    ),
    orAbsent("bedrock-agentcore:GetAgentRuntimeEndpoint", () =>
      client.send(
        new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName: names.runtimeEndpoint }),
        options,
      ),
    ),
  ]);
  if (runtime === undefined) return undefined;
  return {
    name: runtime.agentRuntimeName ?? names.runtime,
    arn: runtime.agentRuntimeArn ?? "",
    status: runtime.status ?? "",
    version: runtime.agentRuntimeVersion ?? "",
    imageUri: runtime.agentRuntimeArtifact?.containerConfiguration?.containerUri ?? null,
    failureReason: runtime.failureReason || endpoint?.failureReason || null,
    endpoint:
      endpoint === undefined
        ? null
        : {
            name: names.runtimeEndpoint,
            status: endpoint.status ?? "",
            liveVersion: endpoint.liveVersion ?? null,
            targetVersion: endpoint.targetVersion ?? null,
          },
  };
}
