/** `speech-infra sync-model`: the bucket first, because it may not be there; then the weights; then the transfer. */
import { OUTPUTS, speechNames } from "../../lib/config/deployment-names.ts";
import type { SpeechModelId } from "../../lib/config/speech-catalog.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import type { DeployProgress } from "../../lib/deploy/progress.ts";
import { type StageOptions, selectAws } from "../aws-selection.ts";
import { modelFinder } from "../model-dir.ts";
import type { CliContext } from "../run.ts";
import { progressBar } from "../status-line.ts";

export async function runSyncModel(
  modelId: SpeechModelId,
  options: StageOptions,
  context: CliContext,
): Promise<void> {
  const { output, signal } = context;
  const names = speechNames(modelId, options.stage);
  const place = await selectAws(options, context);
  output.status(`Asking AWS in ${place.region} ...`);
  const [{ StackReader }, { requireOutput }, { modelPrefix }, { syncModel }] = await Promise.all([
    import("../../lib/deploy/status/stack-report.ts"),
    import("../../lib/deploy/stack-state.ts"),
    import("../../lib/deploy/model-sync/model-files.ts"),
    import("../../lib/deploy/model-sync/sync-model.ts"),
  ]);
  const deployCommand = `speech-infra deploy ${modelId}${addedFlags(options.stage, options)}`;
  const stack = await new StackReader(place, signal).read(names.stacks.modelCache);
  const bucket = requireOutput(stack, names.stacks.modelCache, OUTPUTS.modelBucket, deployCommand);
  const model = await modelFinder(output)(signal);
  const prefix = await modelPrefix(model);
  output.status("Comparing with what is there ...");
  const result = await syncModel({ model, bucket, prefix }, place, showTransfer(context), signal);
  const isDeployed = stack?.outputs[OUTPUTS.modelPrefix] === prefix;
  output.result({ ...result, bucket, deployed: isDeployed });
  output.line(
    result.uploaded === 0
      ? `s3://${bucket}/${prefix}: all ${result.skipped} files are there`
      : `s3://${bucket}/${prefix}: ${result.uploaded} files sent (${(result.bytes / 1e6).toFixed(0)} MB), ${result.skipped} were there`,
  );
  if (!isDeployed) output.line(`Not yet what the endpoint runs; next: ${deployCommand}`);
}

function showTransfer({ output }: CliContext): (progress: DeployProgress) => void {
  return (progress) => {
    if (progress.kind !== "transfer") return;
    output.status(progressBar(`Uploading ${progress.what}`, progress.doneBytes, progress.totalBytes));
  };
}
