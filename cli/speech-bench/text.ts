/** `speech-bench text`: flags only; text-run.ts does the work. */
import { Command } from "commander";
import { jsonOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import type { TextBenchOptions } from "./text-run.ts";

export function textCommand(context: CliContext): Command {
  return new Command("text")
    .description(
      "Split the corpus of test/fixtures/text: how many texts come out right, and how many characters are read a second.",
    )
    .option(
      "--compare",
      "run LiveKit's tokenizer, stream2sentence and pipecat's aggregator over the same texts; installed for this run by npm and pip",
      false,
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-bench text
  speech-bench text --compare --json > text.json`,
    )
    .action(async (options: TextBenchOptions) => {
      const { benchText } = await import("./text-run.ts");
      await benchText(options, context);
    });
}
