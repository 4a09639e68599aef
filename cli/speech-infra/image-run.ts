/** `speech-infra image`: the tag of this source, a check of somebody else's image, or build, push and check. */
import { requireSpeechModel, type SpeechCatalogEntry } from "../../lib/config/speech-catalog.ts";
import type { BuildWay } from "../../lib/deploy/images/image.ts";
import { type StageOptions, selectAws } from "../aws-selection.ts";
import { DeployDisplay } from "../deploy-progress.ts";
import type { CliContext } from "../run.ts";

export interface ImageOptions extends StageOptions {
  readonly build: BuildWay;
  readonly imageUri?: string;
  readonly printTag: boolean;
  readonly verbose: boolean;
}

export async function runImage(modelId: string, options: ImageOptions, context: CliContext): Promise<void> {
  const model = requireSpeechModel(modelId);
  if (options.printTag) return await printTag(model, context);
  if (options.imageUri !== undefined) return await checkGiven(options.imageUri, options, context);
  return await build(model, options, context);
}

async function printTag({ device }: SpeechCatalogEntry, { output }: CliContext): Promise<void> {
  const { imageTag } = await import("../../lib/deploy/images/content-hash.ts");
  const tag = await imageTag("tts", device);
  output.result({ tag, variant: device });
  output.line(tag);
}

async function checkGiven(imageUri: string, options: ImageOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const place = await selectAws(options, context);
  const { checkForeignImage } = await import("../../lib/deploy/images/image.ts");
  output.status(`Reading ${imageUri} ...`);
  const { digest } = await checkForeignImage(imageUri, "tts", place, signal);
  output.result({ imageUri, digest: digest ?? null, checked: digest !== undefined, built: false });
  output.line(
    digest === undefined
      ? `${imageUri} is not in ECR: it cannot be checked here`
      : `${imageUri} can be deployed (${digest})`,
  );
}

async function build(model: SpeechCatalogEntry, options: ImageOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const place = await selectAws(options, context);
  output.status(`Asking AWS in ${place.region} ...`);
  const [{ speechImage }, { ensureImage }] = await Promise.all([
    import("../../lib/deploy/images/speech-image.ts"),
    import("../../lib/deploy/images/image.ts"),
  ]);
  const own = await speechImage(model, options, place, signal);
  using display = new DeployDisplay(output, { verbose: options.verbose });
  display.observe({ kind: "step", step: "image", state: "started" });
  try {
    const ready = await ensureImage(own, place, display.observe, signal);
    display.observe({
      kind: "step",
      step: "image",
      state: ready.built ? "done" : "skipped",
      detail: ready.built ? "built, pushed and checked" : "it is in the repository, and checked",
    });
    output.result({ ...ready, variant: own.variant });
    output.line(`${ready.imageUri} (${ready.digest})`);
  } catch (error) {
    display.observe({ kind: "step", step: "image", state: "failed" });
    throw error;
  }
}
