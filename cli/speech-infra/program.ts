/** The commands of `speech-infra`. */
import { Command } from "commander";
import type { CliContext } from "../run.ts";
import { sayCommand } from "./say.ts";
import { serveCommand } from "./serve.ts";
import { voicesCommand } from "./voices.ts";

export function speechInfra(context: CliContext): Command {
  return new Command("speech-infra")
    .description("Kokoro-82M speech: say a text, list the voices, run the server.")
    .addCommand(sayCommand(context))
    .addCommand(voicesCommand(context))
    .addCommand(serveCommand(context))
    .addHelpText(
      "after",
      `
Examples:
  speech-infra say "Hello there." --out hello.wav
  speech-infra voices
  speech-infra serve                  speech on http://127.0.0.1:8080, ready for curl`,
    );
}
