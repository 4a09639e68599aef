/** `speech-infra synth`: templates for looking at, or for another tool to deploy. */
import { requireSpeechModel } from "../../lib/config/speech-catalog.ts";
import type { CliContext } from "../run.ts";
import { type SynthOptions, tellTemplates } from "../template-run.ts";
import { type SpeechDeployOptions, speechChoice } from "./deploy-run.ts";

export interface SpeechSynthOptions extends SynthOptions, SpeechDeployOptions {}

export async function runSynth(
  modelId: string,
  options: SpeechSynthOptions,
  context: CliContext,
): Promise<void> {
  requireSpeechModel(modelId);
  const choice = speechChoice(modelId, options);
  context.output.status("Synthesizing ...");
  const { synthSpeech } = await import("../../lib/deploy/speech/speech-templates.ts");
  tellTemplates(options.out, await synthSpeech(choice, options.out, context.signal), context);
}
