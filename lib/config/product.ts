/** What this program calls itself: read from the manifest, the one place that has the version. */
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Semantic version, e.g. "0.1.0". */
export const PRODUCT_VERSION: string = manifest.version;
