/** `speech-infra image`: flags only; image-run.ts does the work. */
import { Argument, Command, Option } from "commander";
import { imageOptions, MODEL_ARGUMENT, verboseDeployOption } from "../deploy-options.ts";
import { addOptions, jsonOption, profileOption, regionOption, stageOption } from "../options.ts";
import type { CliContext } from "../run.ts";
import { type ImageOptions, runImage } from "./image-run.ts";

export function imageCommand(context: CliContext): Command {
  const command = new Command("image")
    .description(
      "Build the speech image, push it into the repository of a deployment, and check what came there. What is there " +
        "already is not built again. `deploy` does this too.",
    )
    .addArgument(new Argument("[model]", MODEL_ARGUMENT).default("kokoro-82m"));
  return addOptions(command, [
    ...imageOptions(),
    new Option("--print-tag", "print the tag of this source and ask nobody")
      .default(false)
      .conflicts("imageUri"),
    stageOption(),
    regionOption(),
    profileOption(),
    verboseDeployOption(),
    jsonOption(),
  ])
    .addHelpText(
      "after",
      `
Examples:
  speech-infra image kokoro-82m
  speech-infra image kokoro-82m-cpu --build remote --stage dev
  speech-infra image kokoro-82m --print-tag           tag of this source, without AWS
  speech-infra image kokoro-82m --image-uri URI       checks somebody else's image`,
    )
    .action((model: string, options: ImageOptions) => runImage(model, options, context));
}
