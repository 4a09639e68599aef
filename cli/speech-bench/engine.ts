/** `speech-bench engine`: flags only; engine-run.ts does the work. */
import { Command, Option } from "commander";
import { integerParser, jsonOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { benchEngine, type EngineBenchOptions } from "./engine-run.ts";

export function engineCommand(context: CliContext): Command {
  return new Command("engine")
    .description(
      "Measure the speech engine alone over 24 texts of 2 to 60 words, whole and in windows: RTF, time to first sound, phonemes, memory. Takes 2 to 4 minutes; with --compare 8 to 15, and about 300 MB of Python packages and 650 MB of graphs, once.",
    )
    .addOption(
      new Option(
        "--compare",
        "run kokoro-onnx, kokoro-pi and plain ONNX Runtime alternately in the same run, on the same weights and threads",
      ).default(false),
    )
    .addOption(
      new Option(
        "--threads <n>",
        "threads that each engine computes with; by default as a container does",
      ).argParser(integerParser("--threads", 1, 64)),
    )
    .addOption(
      new Option("--rounds <n>", "times that each engine speaks each text")
        .default(1)
        .argParser(integerParser("--rounds", 1, 20)),
    )
    .addOption(
      new Option("--clips <n>", "only so many of the 24 texts, spread over their lengths, for a quick look")
        .default(24)
        .argParser(integerParser("--clips", 2, 24)),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-bench engine
  speech-bench engine --compare --rounds 3 --json > engine.json`,
    )
    .action((options: EngineBenchOptions) => benchEngine(options, context));
}
