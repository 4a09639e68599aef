/** The commands of `speech-infra`. */
import { Command } from "commander";
import type { CliContext } from "../run.ts";
import { deployCommand } from "./deploy.ts";
import { destroyCommand } from "./destroy.ts";
import { diffCommand } from "./diff.ts";
import { imageCommand } from "./image.ts";
import { listCommand } from "./list.ts";
import { logsCommand } from "./logs.ts";
import { permissionsCommand } from "./permissions.ts";
import { sayCommand } from "./say.ts";
import { serveCommand } from "./serve.ts";
import { statusCommand } from "./status.ts";
import { syncModelCommand } from "./sync-model.ts";
import { synthCommand } from "./synth.ts";
import { voicesCommand } from "./voices.ts";

export function speechInfra(context: CliContext): Command {
  return new Command("speech-infra")
    .description("Kokoro-82M speech: say a text, list the voices, run the server, put it on AWS.")
    .addCommand(sayCommand(context))
    .addCommand(voicesCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(deployCommand(context))
    .addCommand(destroyCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(synthCommand(context))
    .addCommand(listCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(logsCommand(context))
    .addCommand(permissionsCommand(context))
    .addCommand(syncModelCommand(context))
    .addCommand(imageCommand(context))
    .addHelpText(
      "after",
      `
Examples:
  speech-infra say "Hello there." --out hello.wav
  speech-infra voices
  speech-infra serve                  speech on http://127.0.0.1:8080, ready for curl
  speech-infra deploy kokoro-82m      speech on a SageMaker endpoint`,
    );
}
