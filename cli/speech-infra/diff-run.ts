/** `speech-infra diff`: the templates of this machine against those that are deployed. */
import { requireSpeechModel } from "../../lib/config/speech-catalog.ts";
import type { CliContext } from "../run.ts";
import { type DiffOptions, tellDiff } from "../template-run.ts";
import { type SpeechDeployOptions, speechChoice } from "./deploy-run.ts";

export interface SpeechDiffOptions extends DiffOptions, SpeechDeployOptions {}

export async function runDiff(
  modelId: string,
  options: SpeechDiffOptions,
  context: CliContext,
): Promise<void> {
  requireSpeechModel(modelId);
  const choice = speechChoice(modelId, options);
  const { diffSpeech } = await import("../../lib/deploy/speech/speech-templates.ts");
  await tellDiff(options, context, (operation) => diffSpeech(choice, operation));
}
