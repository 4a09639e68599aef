/** `speech-infra destroy` from start to end. */
import { requireSpeechModel } from "../../lib/config/speech-catalog.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import { placeOf } from "../deployment-run.ts";
import { type DestroyOptions, destroyAsAgreed } from "../destruction-run.ts";
import type { CliContext } from "../run.ts";

export interface SpeechDestroyOptions extends DestroyOptions {
  readonly force: boolean;
}

export async function runDestroy(
  modelId: string,
  options: SpeechDestroyOptions,
  context: CliContext,
): Promise<void> {
  const model = requireSpeechModel(modelId);
  const { planSpeechDestruction, destroySpeech } = await import(
    "../../lib/deploy/speech/speech-destruction.ts"
  );
  const { qualifier } = options;
  const choice = {
    modelId: model.id,
    stage: options.stage,
    options: qualifier === undefined ? {} : { qualifier },
  };
  const flags = addedFlags(options.stage, options);
  await destroyAsAgreed(options, context, {
    what: `speech-infra destroy ${model.id}${flags}${qualifier === undefined ? "" : ` --qualifier ${qualifier}`}`,
    whereToLook: `speech-infra status ${model.id}${flags}`,
    place: () => placeOf(options, context),
    plan: (operation) => planSpeechDestruction(choice, operation, options.force),
    destroy: (operation) => destroySpeech(choice, operation, options.purge),
  });
}
