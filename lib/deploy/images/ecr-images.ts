/** What ECR says of an image: its manifest and its configuration, read back over the API. */
import {
  BatchDeleteImageCommand,
  BatchGetImageCommand,
  DescribeImagesCommand,
  ECRClient,
  GetDownloadUrlForLayerCommand,
} from "@aws-sdk/client-ecr";
import { SpeechError } from "../../errors.ts";
import { type AwsPlace, clientOptions } from "../aws-clients.ts";
import { asking, isMissing } from "../aws-failure.ts";

export const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
/** All that ECR may hold, so that it hands out what is there instead of turning it into something else. */
const ACCEPTED = [
  DOCKER_MANIFEST,
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
];

/** An image in a repository, by tag or digest. */
export interface ImageReference {
  /** Account that owns the registry; undefined: the caller's. */
  readonly registryId?: string | undefined;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

export interface StoredImage {
  readonly digest: string;
  readonly mediaType: string;
  /** undefined for an index of several images. */
  readonly config: ImageConfig | undefined;
}

/** https://github.com/opencontainers/image-spec/blob/main/config.md, the fields that matter here. */
export interface ImageConfig {
  readonly os: string;
  readonly architecture: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly user: string;
}

export class EcrImages {
  readonly #client: ECRClient;
  readonly #region: string;

  constructor(place: AwsPlace) {
    this.#client = new ECRClient(clientOptions(place));
    this.#region = place.region;
  }

  /** @returns undefined when the repository, or the tag in it, is not there. */
  async digestOf(reference: ImageReference, signal: AbortSignal): Promise<string | undefined> {
    return await asking("ecr:DescribeImages", this.#region, signal, async () => {
      try {
        const { imageDetails } = await this.#client.send(
          new DescribeImagesCommand({ ...place(reference), imageIds: [imageId(reference)] }),
          { abortSignal: signal },
        );
        return imageDetails?.[0]?.imageDigest;
      } catch (cause) {
        if (isMissing(cause)) return undefined;
        throw cause;
      }
    });
  }

  /** An image without another tag goes with it. */
  async remove(reference: ImageReference, signal: AbortSignal): Promise<void> {
    await asking("ecr:BatchDeleteImage", this.#region, signal, () =>
      this.#client.send(
        new BatchDeleteImageCommand({ ...place(reference), imageIds: [imageId(reference)] }),
        { abortSignal: signal },
      ),
    );
  }

  /** @throws {SpeechError} NOT_FOUND */
  async read(reference: ImageReference, signal: AbortSignal): Promise<StoredImage> {
    const { images } = await asking("ecr:BatchGetImage", this.#region, signal, () =>
      this.#client.send(
        new BatchGetImageCommand({
          ...place(reference),
          imageIds: [imageId(reference)],
          acceptedMediaTypes: ACCEPTED,
        }),
        { abortSignal: signal },
      ),
    );
    const image = images?.[0];
    if (image?.imageManifest === undefined) {
      throw new SpeechError("NOT_FOUND", `there is no image ${nameOf(reference)} in ECR in ${this.#region}`);
    }
    const manifest = JSON.parse(image.imageManifest) as { mediaType?: string; config?: { digest: string } };
    const mediaType = image.imageManifestMediaType ?? manifest.mediaType ?? "";
    return {
      digest: image.imageId!.imageDigest!,
      mediaType,
      config: manifest.config && (await this.#config(reference, manifest.config.digest, signal)),
    };
  }

  async #config(reference: ImageReference, digest: string, signal: AbortSignal): Promise<ImageConfig> {
    const { downloadUrl } = await asking("ecr:GetDownloadUrlForLayer", this.#region, signal, () =>
      this.#client.send(new GetDownloadUrlForLayerCommand({ ...place(reference), layerDigest: digest }), {
        abortSignal: signal,
      }),
    );
    const answer = await asking("ecr:GetDownloadUrlForLayer", this.#region, signal, () =>
      fetch(downloadUrl!, { signal }),
    );
    if (!answer.ok) {
      throw new SpeechError(
        "DEPLOYMENT_FAILED",
        `the configuration of ${nameOf(reference)} could not be read back: HTTP ${answer.status}`,
      );
    }
    const { os, architecture, config } = (await answer.json()) as RawConfig;
    return {
      os: os ?? "",
      architecture: architecture ?? "",
      labels: config?.Labels ?? {},
      entrypoint: config?.Entrypoint ?? [],
      user: config?.User ?? "",
    };
  }
}

interface RawConfig {
  readonly os?: string;
  readonly architecture?: string;
  readonly config?: {
    readonly Labels?: Record<string, string> | null;
    readonly Entrypoint?: string[] | null;
    readonly User?: string;
  };
}

function place({ registryId, repository }: ImageReference): { registryId?: string; repositoryName: string } {
  return { ...(registryId !== undefined && { registryId }), repositoryName: repository };
}

function imageId({ tag, digest }: ImageReference): { imageTag?: string; imageDigest?: string } {
  return digest === undefined ? { imageTag: tag ?? "latest" } : { imageDigest: digest };
}

export function nameOf({ repository, tag, digest }: ImageReference): string {
  return digest === undefined ? `${repository}:${tag ?? "latest"}` : `${repository}@${digest}`;
}
