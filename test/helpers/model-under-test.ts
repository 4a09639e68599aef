/**
 * The prepared model that tests use. On a laptop without one they are skipped, and say so; in CI it is fetched, and its
 * absence is a failure.
 */
import { processEnvironment } from "../../lib/config/environment.ts";
import { readModelSettings } from "../../lib/config/model-settings.ts";
import { locateModel } from "../../lib/model/locate-model.ts";
import type { ModelDirectory } from "../../lib/model/model-directory.ts";

/** Download and preparation take half a minute where the registry is near. */
const LOCATE_LIMIT_MS = 240_000;

/** @returns undefined: skip. @throws in CI what hindered. */
export async function modelUnderTest(): Promise<ModelDirectory | undefined> {
  const isRequired = processEnvironment().CI === "true";
  const settings = readModelSettings();
  try {
    return await locateModel({
      signal: AbortSignal.timeout(LOCATE_LIMIT_MS),
      settings: isRequired ? settings : { ...settings, sources: [] },
    });
  } catch (error) {
    if (isRequired) throw error;
    process.stderr.write(
      "SKIPPED: no model on this machine; `npm run demo` fetches it, CI=true requires it\n",
    );
    return undefined;
  }
}
