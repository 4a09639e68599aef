/** The agent in the foreground: started, announced with something to try, and stopped by a signal. */
import { RUNTIME_SESSION_HEADER } from "../../lib/protocol/agent-events.ts";
import { INVOCATIONS_PATH } from "../../lib/protocol/limits.ts";
import { untilStopped } from "../foreground.ts";
import type { CliContext } from "../run.ts";
import { type AgentSystemOptions, startLocalAgent } from "./local-agent.ts";

export interface ServeAgentOptions extends AgentSystemOptions {
  readonly port: number;
  readonly host: string;
}

/** AgentCore asks for at least 33 characters, so the example has as many. */
const EXAMPLE_SESSION_ID = "example-session-0123456789-0123456789";

export async function serveAgent(options: ServeAgentOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const { host, port } = options;
  const system = await startLocalAgent(options, { host, port, portFlag: "--port" }, context);
  const { urls } = system;
  await untilStopped(system, context, () => {
    output.result({ ready: true, urls });
    output.line(`Ready: the agent on ${urls.agent}`);
    if (urls.tts) output.line(`       speech on ${urls.tts}, SageMaker stand-in on ${urls.frontDoor}`);
    if (urls.languageModel) output.line(`       Bedrock stand-in on ${urls.languageModel}`);
    output.line();
    output.line("Try:");
    output.line(`  curl -sN ${urls.agent}${INVOCATIONS_PATH} \\`);
    output.line(`    -H 'content-type: application/json' -H 'accept: text/event-stream' \\`);
    output.line(`    -H '${RUNTIME_SESSION_HEADER}: ${EXAMPLE_SESSION_ID}' \\`);
    output.line(`    -d '{"prompt": "Why are there tides?"}' | cut -c 1-110`);
    output.line(`  npx agent-infra demo --endpoint-url ${urls.agent}`);
    output.line();
    output.line("Ctrl-C stops it.");
  });
}
