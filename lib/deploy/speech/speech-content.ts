/** What a deployment is made of on this machine: weights and the image's source. Stacks are named by their content. */
import { readModelSettings } from "../../config/model-settings.ts";
import { locateModel } from "../../model/locate-model.ts";
import type { ModelDirectory } from "../../model/model-directory.ts";
import { imageTag } from "../images/content-hash.ts";
import { modelPrefix } from "../model-sync/model-files.ts";
import type { Operation } from "../stack-session.ts";
import type { Product } from "../steps.ts";
import type { SpeechChoice, SpeechContent, SpeechTarget } from "./speech-choice.ts";

export interface WholeContent extends SpeechContent {
  readonly model: ModelDirectory;
  readonly modelPrefix: string;
}

/** Fetches the weights where this machine lacks them. @throws {SpeechError} WEIGHTS_UNAVAILABLE */
export async function speechContent(
  { imageUri }: SpeechChoice,
  { model: { device } }: SpeechTarget,
  { observe, signal }: Omit<Operation, "place">,
): Promise<Product<WholeContent>> {
  const model = await locateModel({
    signal,
    onProgress: ({ phase, file, receivedBytes, totalBytes }) => {
      if (phase === "download") {
        observe({ kind: "transfer", what: file, doneBytes: receivedBytes, totalBytes: totalBytes ?? 0 });
      } else observe({ kind: "waiting", what: `${phase} ${file}` });
    },
  });
  return {
    state: "done",
    detail: `weights from ${model.foundIn}`,
    value: {
      model,
      modelPrefix: await modelPrefix(model),
      imageTag: imageUri === undefined ? await imageTag("tts", device) : undefined,
    },
  };
}

/** The same without a network: a prefix of weights that are not here stays unknown. */
export async function localSpeechContent(
  { imageUri }: SpeechChoice,
  { model: { device } }: SpeechTarget,
  signal: AbortSignal,
): Promise<SpeechContent> {
  const settings = { ...readModelSettings(), sources: [] };
  const model = await locateModel({ signal, settings }).catch(() => undefined);
  signal.throwIfAborted();
  return {
    modelPrefix: model && (await modelPrefix(model)),
    imageTag: imageUri === undefined ? await imageTag("tts", device) : undefined,
  };
}
