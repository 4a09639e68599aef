/** Finds the model for a command, telling on the status line what is fetched or prepared. */
import { readModelSettings } from "../lib/config/model-settings.ts";
import { locateModel } from "../lib/model/locate-model.ts";
import type { ModelDirectory } from "../lib/model/model-directory.ts";
import type { ModelProgress } from "../lib/model/progress.ts";
import type { Output } from "./output.ts";
import { progressBar } from "./status-line.ts";

const PHASES: Readonly<Record<ModelProgress["phase"], string>> = {
  wait: "Waiting for another process that fetches the model",
  download: "Downloading",
  verify: "Verifying",
  prepare: "Preparing the model (once)",
};

/** For what loads the model. */
export function modelDirFinder(output: Output): (signal: AbortSignal) => Promise<string> {
  return async (signal) => {
    const { path } = await modelFinder(output)(signal);
    output.status("Loading the model ...");
    return path;
  };
}

export function modelFinder(output: Output): (signal: AbortSignal) => Promise<ModelDirectory> {
  return async (signal) => {
    const startedAtMs = performance.now();
    const { modelDir } = readModelSettings();
    let fetched = false;
    const model = await locateModel({
      signal,
      onProgress: (progress) => {
        fetched = true;
        output.status(describeProgress(progress));
      },
    });
    if (fetched) {
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
      output.note(`Model ready from ${model.foundIn} after ${seconds} s; kept in the cache for next time.`);
    }
    if (modelDir !== undefined && model.path !== modelDir) {
      output.note(
        `KOKORO_MODEL_DIR (${modelDir}) holds no whole model; the one of ${model.foundIn} is used.`,
      );
    }
    return model;
  };
}

export function describeProgress({ phase, file, receivedBytes, totalBytes }: ModelProgress): string {
  const label = PHASES[phase];
  if (phase === "wait" || phase === "prepare") return `${label} ...`;
  return progressBar(`${label} ${file}`, receivedBytes, totalBytes);
}
