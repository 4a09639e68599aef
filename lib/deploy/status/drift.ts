/** Does what is deployed come from the source and the weights on this machine? */
import { readModelSettings } from "../../config/model-settings.ts";
import { cachedModelPath, openModelDirectory } from "../../model/model-directory.ts";
import { imageTag } from "../images/content-hash.ts";
import type { ImageName, ImageVariant } from "../images/image-definition.ts";
import { modelPrefix } from "../model-sync/model-files.ts";

export interface Drift {
  readonly what: "image" | "weights";
  readonly deployed: string;
  readonly local: string;
}

export interface DeployedContent {
  readonly imageUri: string | null;
  readonly modelPrefix: string | null;
}

export interface LocalContent {
  readonly imageTag?: string | undefined;
  /** undefined where no prepared model lies on this machine. */
  readonly modelPrefix?: string | undefined;
}

/** @param repository of the side; an image of somebody else's has no source here. */
export function findDrift(deployed: DeployedContent, local: LocalContent, repository: string): Drift[] {
  const drift: Drift[] = [];
  const [, tag] = deployed.imageUri?.match(new RegExp(`/${repository}:([^:@/]+)$`)) ?? [];
  if (tag !== undefined && local.imageTag !== undefined && tag !== local.imageTag) {
    drift.push({ what: "image", deployed: tag, local: local.imageTag });
  }
  if (
    deployed.modelPrefix !== null &&
    local.modelPrefix !== undefined &&
    deployed.modelPrefix !== local.modelPrefix
  ) {
    drift.push({ what: "weights", deployed: deployed.modelPrefix, local: local.modelPrefix });
  }
  return drift;
}

/** Looks at this machine only; fetches nothing. */
export async function localContent(image: ImageName, variant: ImageVariant): Promise<LocalContent> {
  const prefix = image === "tts" ? await localModelPrefix() : undefined;
  return { imageTag: await imageTag(image, variant), modelPrefix: prefix };
}

async function localModelPrefix(): Promise<string | undefined> {
  const { modelDir, cacheDir } = readModelSettings();
  for (const path of [modelDir, cachedModelPath(cacheDir)]) {
    if (path === undefined) continue;
    const model = await openModelDirectory(path, path);
    if (model !== undefined) return await modelPrefix(model);
  }
  return undefined;
}
