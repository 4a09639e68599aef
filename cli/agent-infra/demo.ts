/** `agent-infra demo`: flags only; demo-run.ts does the work. */
import { Command, Option } from "commander";
import { AGENT_MODES } from "../../lib/protocol/agent-events.ts";
import {
  integerParser,
  jsonOption,
  languageModelOptions,
  modesParser,
  profileOption,
  regionOption,
  speechEndpointOption,
  speedOption,
  verboseOption,
  voiceOption,
  wordsParser,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { DEMO_PROMPT, type DemoOptions, runDemo } from "./demo-run.ts";

export function demoCommand(context: CliContext): Command {
  const command = new Command("demo")
    .description(
      "Ask the agent the same prompt in several modes and compare when its answer is heard. Without " +
        "--endpoint-url the whole system is started here, on the real model, and stopped at the end.",
    )
    .addOption(
      new Option(
        "--endpoint-url <url|arn>",
        "an agent that already runs: its base URL, or the ARN of its AgentCore Runtime",
      ).conflicts(["answerFile", "bedrockModelId", "bedrockPort", "firstTokenMs", "tokensPerSecond"]),
    )
    .addOption(
      new Option("--prompt <text>", "what the agent is asked")
        .default(DEMO_PROMPT, "a question")
        .argParser(wordsParser("--prompt")),
    )
    .addOption(voiceOption())
    .addOption(speedOption())
    .addOption(
      new Option("--modes <list>", "modes to compare, with commas between")
        .default([...AGENT_MODES], AGENT_MODES.join(","))
        .argParser(modesParser),
    )
    .addOption(
      new Option("--runs <n>", "timed turns of each mode")
        .default(3)
        .argParser(integerParser("--runs", 1, 100)),
    )
    .addOption(new Option("--out <folder>", "where the WAV files and report.json go").default("out/demo"));
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
Modes:
  bidi          each sentence is spoken as soon as it is written
  batch-stream  the whole answer is written, then spoken as a stream
  batch         the whole answer is written, then synthesized whole, then sent

Examples:
  agent-infra demo
  agent-infra demo --runs 1 --modes bidi,batch --prompt "Why are there tides?"
  agent-infra demo --answer-file answer.txt --tokens-per-second 20
  agent-infra demo --json > result.json
  agent-infra demo --endpoint-url http://127.0.0.1:8081`,
    )
    .action((options: DemoOptions) => runDemo(options, context));
}
