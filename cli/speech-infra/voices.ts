/** `speech-infra voices`: the names that `--voice` takes. */
import { Command } from "commander";
import { VOICES } from "../../lib/kokoro/voices.ts";
import { jsonOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { voiceTable } from "./voice-table.ts";

export function voicesCommand({ output }: CliContext): Command {
  return new Command("voices")
    .description("List the voices with their language and gender.")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-infra voices
  speech-infra voices --json
  speech-infra say "Good morning." --voice bf_emma --out emma.wav`,
    )
    .action(() => {
      output.result({ voices: VOICES });
      for (const line of voiceTable(VOICES)) output.line(line);
    });
}
