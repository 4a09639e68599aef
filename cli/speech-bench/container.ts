/** `speech-bench container`: flags only; container-run.ts does the work. */
import { Command, Option } from "commander";
import { integerParser, jsonOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { benchContainer, type ContainerBenchOptions } from "./container-run.ts";

export function containerCommand(context: CliContext): Command {
  return new Command("container")
    .description(
      "Start the TTS container and measure it: RTF, first audio of a paragraph, /ping and WebSocket accepts while it computes, memory. Takes 2 to 4 minutes.",
    )
    .addOption(
      new Option("--sessions <n>", "sessions that speak while health checks are timed")
        .default(3)
        .argParser(integerParser("--sessions", 1, 20)),
    )
    .addOption(
      new Option("--utterances <n>", "utterances after which memory is read last")
        .default(50)
        .argParser(integerParser("--utterances", 10, 1_000)),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-bench container
  speech-bench container --json > container.json`,
    )
    .action((options: ContainerBenchOptions) => benchContainer(options, context));
}
