/** `speech-infra image`: flags only; image-run.ts does the work. */
import { Command, Option } from "commander";
import { imageOptions, verboseDeployOption } from "../deploy-options.ts";
import {
  addOptions,
  jsonOption,
  profileOption,
  regionOption,
  stageOption,
  unaskedOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { type ImageOptions, runImage } from "./image-run.ts";
import { modelArgument } from "./model-argument.ts";

export function imageCommand(context: CliContext): Command {
  const command = new Command("image")
    .description(
      "Build the speech image, push it into the repository of a deployment, and check what came there. What is there " +
        "already is not built again. `deploy` does this too.",
    )
    .addArgument(modelArgument());
  return addOptions(command, [
    ...imageOptions(),
    new Option("--print-tag", "print the tag of this source and ask nobody")
      .default(false)
      .conflicts("imageUri"),
    stageOption(),
    regionOption(),
    profileOption(),
    verboseDeployOption(),
    unaskedOption(),
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
