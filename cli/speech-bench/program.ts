/** The commands of `speech-bench`: what this product promises, measured on the machine at hand. */
import { Command } from "commander";
import type { CliContext } from "../run.ts";
import { containerCommand } from "./container.ts";
import { engineCommand } from "./engine.ts";
import { qualityCommand } from "./quality.ts";
import { textCommand } from "./text.ts";

export function speechBench(context: CliContext): Command {
  return new Command("speech-bench")
    .description("Measure what is promised. Quote medians, and only from a machine that does nothing else.")
    .addCommand(containerCommand(context))
    .addCommand(engineCommand(context))
    .addCommand(qualityCommand(context))
    .addCommand(textCommand(context))
    .addHelpText(
      "after",
      `
Examples:
  speech-bench container
  speech-bench engine --compare       the engine alone, beside others on the same weights
  speech-bench text --compare         sentences split right, beside others' chunkers
  agent-infra demo --runs 3           the whole pipeline, bidi against batch`,
    );
}
