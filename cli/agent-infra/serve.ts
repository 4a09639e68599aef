/** `agent-infra serve`: flags only; serve-run.ts does the work. */
import { Command } from "commander";
import {
  hostOption,
  jsonOption,
  languageModelOptions,
  portOption,
  profileOption,
  regionOption,
  speechEndpointOption,
  verboseOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { type ServeAgentOptions, serveAgent } from "./serve-run.ts";

/** Beside the speech server, whose contract has 8080 as the agent's has in its own image. */
const AGENT_LOCAL_PORT = 8081;

export function serveCommand(context: CliContext): Command {
  const command = new Command("serve")
    .description(
      "Run the agent, and what it needs on this machine (speech, stand-ins for SageMaker and Bedrock), in the " +
        "foreground until Ctrl-C.",
    )
    .addOption(portOption("--port", "port of the agent; 0 = any free one", AGENT_LOCAL_PORT))
    .addOption(hostOption());
  for (const option of languageModelOptions()) command.addOption(option);
  return command
    .addOption(speechEndpointOption())
    .addOption(regionOption())
    .addOption(profileOption())
    .addOption(verboseOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  agent-infra serve
  agent-infra serve --answer-file answer.txt --first-token-ms 200
  agent-infra serve --bedrock-model-id global.anthropic.claude-haiku-4-5-20251001-v1:0
  agent-infra demo --endpoint-url http://127.0.0.1:${AGENT_LOCAL_PORT}`,
    )
    .action((options: ServeAgentOptions) => serveAgent(options, context));
}
