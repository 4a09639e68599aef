/** A push over the registry's own protocol, /v2, as a container engine does it: one layer, a config, a manifest. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

export interface ImageChoice {
  readonly labels?: Readonly<Record<string, string>>;
  readonly architecture?: "amd64" | "arm64";
  readonly isOci?: boolean;
}

const DOCKER = "application/vnd.docker.distribution.manifest.v2+json";
const OCI = "application/vnd.oci.image.manifest.v1+json";

/** @returns the manifest's digest. @throws what the registry says when it refuses. */
export async function pushImage(
  registryUrl: string,
  repository: string,
  tag: string,
  { labels = {}, architecture = "amd64", isOci = false }: ImageChoice = {},
): Promise<string> {
  const layer = gzipSync(Buffer.alloc(1024));
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: "linux",
      config: { Labels: labels },
      rootfs: { type: "layers", diff_ids: [] },
    }),
  );
  for (const blob of [layer, config]) {
    const started = await fetch(`${registryUrl}/v2/${repository}/blobs/uploads/`, { method: "POST" });
    await requireOk(started);
    const place = new URL(started.headers.get("location")!, registryUrl);
    place.searchParams.set("digest", digestOf(blob));
    await requireOk(await fetch(place, { method: "PUT", body: blob }));
  }
  const mediaType = isOci ? OCI : DOCKER;
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType,
      config: {
        mediaType: "application/vnd.docker.container.image.v1+json",
        size: config.length,
        digest: digestOf(config),
      },
      layers: [
        {
          mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
          size: layer.length,
          digest: digestOf(layer),
        },
      ],
    }),
  );
  await requireOk(
    await fetch(`${registryUrl}/v2/${repository}/manifests/${tag}`, {
      method: "PUT",
      body: manifest,
      headers: { "content-type": mediaType },
    }),
  );
  return digestOf(manifest);
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function requireOk(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(await answer.text());
}
