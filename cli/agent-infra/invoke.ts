/** `agent-infra invoke`: flags only; invoke-run.ts does the work. */
import { Argument, Command, Option } from "commander";
import { AGENT_MODES } from "../../lib/protocol/agent-events.ts";
import { awsOptions, speedOption, voiceOption, wordsParser } from "../options.ts";
import type { CliContext } from "../run.ts";
import { type InvokeOptions, runInvoke } from "./invoke-run.ts";

export function invokeCommand(context: CliContext): Command {
  const command = new Command("invoke")
    .description(
      "Ask the deployed agent one prompt: its text on the screen as it comes, its speech in a file.",
    )
    .addArgument(new Argument("<prompt>", "what the agent is asked").argParser(wordsParser("the prompt")))
    .option("--out <path>", "file for the speech; .wav or .mp3 chooses the format", "out/answer.wav")
    .addOption(
      new Option("--mode <name>", "bidi speaks each sentence as it is finished")
        .choices(AGENT_MODES)
        .default("bidi"),
    )
    .addOption(voiceOption())
    .addOption(speedOption())
    .addOption(
      new Option("--runtime-arn <arn>", "an AgentCore Runtime instead of the stage's own").conflicts(
        "endpointUrl",
      ),
    )
    .addOption(
      new Option("--endpoint-url <url>", "an agent that listens there, e.g. one of `agent-infra serve`"),
    );
  for (const option of awsOptions()) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  agent-infra invoke "Why are there tides?" --out tides.wav
  agent-infra invoke "Hello." --mode batch --stage dev --json
  agent-infra invoke "Hello." --endpoint-url http://127.0.0.1:8081`,
    )
    .action((prompt: string, options: InvokeOptions) => runInvoke(prompt, options, context));
}
