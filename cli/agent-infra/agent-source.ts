/** The agent a demo asks: one that already runs, or one started here and stopped when the demo is done. */
import type { AskAgent } from "../../lib/bench/trial.ts";
import { type AgentTarget, callAgent, parseAgentTarget } from "../../lib/client/agent-client.ts";
import { awsCredentials } from "../../lib/client/sagemaker/credentials.ts";
import { applyAwsSelection } from "../../lib/config/cli-settings.ts";
import type { LocalSystem } from "../../lib/local/local-system.ts";
import { requireReachable } from "../reachable.ts";
import type { CliContext } from "../run.ts";
import { type AgentSystemOptions, startLocalAgent } from "./local-agent.ts";

export interface AgentSourceOptions extends AgentSystemOptions {
  /** URL or ARN of an agent that runs; without it one is started. */
  readonly endpointUrl?: string;
}

export interface AgentSource extends AsyncDisposable {
  readonly ask: AskAgent;
  /** Aborted by the user, or with its reason when a part that was started here ends. */
  readonly signal: AbortSignal;
  /** One line for the user. */
  readonly description: string;
  /** For the report: which language model and which speech, without an address. */
  readonly languageModel: string;
  readonly speech: string;
}

export async function openAgent(options: AgentSourceOptions, context: CliContext): Promise<AgentSource> {
  const { output, signal, env } = context;
  if (options.endpointUrl !== undefined) {
    const target = parseAgentTarget(options.endpointUrl);
    applyAwsSelection(options, env);
    if (target.kind === "url") {
      await requireReachable("--endpoint-url", target.url, "agent-infra serve", signal);
    } else {
      await awsCredentials()(); // what is missing is told before anything is asked
    }
    return {
      ask: asker(target),
      signal,
      description: "The agent runs elsewhere; times are measured here.",
      languageModel: "the agent's own",
      speech: options.speechEndpoint ?? "the agent's own",
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const startedAtMs = performance.now();
  const system = await startLocalAgent(options, { port: 0 }, context);
  const { urls } = system;
  const parts = [
    urls.tts ? "speech" : `speech endpoint ${options.speechEndpoint}`,
    ...(urls.frontDoor ? ["SageMaker stand-in"] : []),
    urls.languageModel ? "Bedrock stand-in" : `Bedrock model ${options.bedrockModelId}`,
    "agent",
  ];
  output.clearStatus();
  return {
    ask: explaining(asker(parseAgentTarget(urls.agent!)), system),
    signal: AbortSignal.any([signal, system.failure]),
    description: `Ready in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s: ${parts.join(", ")}.`,
    languageModel: urls.languageModel
      ? `stand-in, first token after ${options.firstTokenMs} ms, ${options.tokensPerSecond} tokens a second`
      : options.bedrockModelId!,
    speech: urls.tts ? "Kokoro-82M on this machine" : options.speechEndpoint!,
    [Symbol.asyncDispose]: () => system.stop(),
  };
}

/** A runtime session of its own for each turn: no mode profits from what another one was told. */
function asker(target: AgentTarget): AskAgent {
  return (payload, signal) => callAgent(target, payload, { signal });
}

/** A part that died is told as the reason, not as the closed connection it leaves. */
function explaining(ask: AskAgent, system: LocalSystem): AskAgent {
  return async function* (payload, signal) {
    try {
      yield* ask(payload, signal);
    } catch (error) {
      throw await system.explain(error);
    }
  };
}
