/** `speech-infra serve`: flags only; serve-run.ts does the work. */
import { Command } from "commander";
import { SPEECH_ENDPOINT_NAME_DEFAULT } from "../../lib/config/agent-settings.ts";
import { CONTAINER_PORT } from "../../lib/protocol/limits.ts";
import { hostOption, jsonOption, portOption, verboseOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { type ServeSpeechOptions, serveSpeech } from "./serve-run.ts";

const FRONT_DOOR_PORT = 9001;

export function serveCommand(context: CliContext): Command {
  return new Command("serve")
    .description(
      "Run the speech server, and before it a stand-in for SageMaker's runtime, in the foreground until Ctrl-C.",
    )
    .addOption(portOption("--port", "port of the speech server; 0 = any free one", CONTAINER_PORT))
    .addOption(
      portOption("--front-door-port", "port of the SageMaker stand-in; 0 = any free one", FRONT_DOOR_PORT),
    )
    .addOption(hostOption())
    .option("--speech-endpoint <name>", "endpoint name the stand-in answers to", SPEECH_ENDPOINT_NAME_DEFAULT)
    .addOption(verboseOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-infra serve
  speech-infra serve --port 0 --json         one JSON object with the addresses, then silence
  speech-infra say "Hello." --endpoint-url http://127.0.0.1:${CONTAINER_PORT}`,
    )
    .action((options: ServeSpeechOptions) => serveSpeech(options, context));
}
