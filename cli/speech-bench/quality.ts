/** `speech-bench quality`: flags only; quality-run.ts does the work. */
import { Command, Option } from "commander";
import { integerParser, jsonOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { benchQuality, type QualityBenchOptions } from "./quality-run.ts";

export function qualityCommand(context: CliContext): Command {
  return new Command("quality")
    .description(
      "Hold speech in windows against the same speech whole, over 24 texts: words recognized, two models of listeners' opinion, level, clicks at joins. Takes 5 to 10 minutes, and about 150 MB of Python packages, once.",
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
  speech-bench quality
  speech-bench quality --json > quality.json`,
    )
    .action((options: QualityBenchOptions) => benchQuality(options, context));
}
