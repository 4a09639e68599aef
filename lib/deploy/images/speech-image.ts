/** The image of a deployed speech side: where it goes and who builds it, as its foundation stack says. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { OUTPUTS, speechNames } from "../../config/deployment-names.ts";
import type { SpeechCatalogEntry } from "../../config/speech-catalog.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { addedFlags } from "../command-words.ts";
import { readStack, requireOutput } from "../stack-state.ts";
import type { BuildWay, OwnImage } from "./image.ts";

export interface SpeechImageChoice {
  readonly stage: string;
  readonly build: BuildWay;
}

/** @throws {SpeechError} STACK_NOT_DEPLOYED with the command that deploys it. */
export async function speechImage(
  { id, device }: SpeechCatalogEntry,
  { stage, build }: SpeechImageChoice,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<OwnImage> {
  const names = speechNames(id, stage);
  const { foundation } = names.stacks;
  const client = new CloudFormationClient(clientOptions(place));
  const stack = await readStack(client, place.region, foundation, signal).finally(() => client.destroy());
  const output = (key: string) =>
    requireOutput(stack, foundation, key, `speech-infra deploy ${id}${addedFlags(stage, place.chosen)}`);
  return {
    image: "tts",
    variant: device,
    repository: names.repository,
    repositoryUri: output(OUTPUTS.repositoryUri),
    buildProject: output(OUTPUTS.buildProject),
    buildBucket: output(OUTPUTS.buildBucket),
    build,
  };
}
