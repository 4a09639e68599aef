/** The agent's runtime and its endpoint as AgentCore sees them. */
import {
  BedrockAgentCoreControlClient,
  GetAgentRuntimeCommand,
  GetAgentRuntimeEndpointCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";

export interface RuntimeState {
  /** CREATING, READY, UPDATING, CREATE_FAILED, ... of the runtime, then of its endpoint. */
  readonly runtime: string;
  readonly endpoint: string | undefined;
  readonly failureReason?: string;
}

export class AgentRuntimeReader {
  readonly #client: BedrockAgentCoreControlClient;
  readonly #abortSignal: AbortSignal;

  constructor(place: AwsPlace, signal: AbortSignal) {
    this.#client = new BedrockAgentCoreControlClient(clientOptions(place));
    this.#abortSignal = signal;
  }

  /** @returns undefined when there is no such runtime. */
  async read(agentRuntimeId: string, endpointName: string): Promise<RuntimeState | undefined> {
    const options = { abortSignal: this.#abortSignal };
    const runtime = await orAbsent(
      this.#client.send(new GetAgentRuntimeCommand({ agentRuntimeId }), options),
    );
    if (runtime === undefined) return undefined;
    const endpoint = await orAbsent(
      this.#client.send(new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName }), options),
    );
    const failureReason = runtime.failureReason || endpoint?.failureReason;
    return {
      runtime: runtime.status!,
      endpoint: endpoint?.status,
      ...(failureReason && { failureReason }),
    };
  }
}

export function isReady({ runtime, endpoint }: RuntimeState): boolean {
  return runtime === "READY" && endpoint === "READY";
}

/** Nothing more will come of it by waiting. */
export function hasFailed(state: RuntimeState | undefined): boolean {
  if (state === undefined || state.endpoint === undefined) return true;
  return [state.runtime, state.endpoint].some(
    (status) => status.endsWith("_FAILED") || status === "DELETING",
  );
}

async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  }
}
