/**
 * The prepared model that the tests of this folder use. On a laptop without one they are skipped, and say so; in
 * CI it is fetched, and its absence is a failure.
 */
import { processEnvironment } from "../../lib/config/environment.ts";
import { readModelSettings } from "../../lib/config/model-settings.ts";
import { locateModel } from "../../lib/model/locate-model.ts";

const isRequired = processEnvironment().CI === "true";
const settings = readModelSettings();

/** undefined: skip. */
export const MODEL_DIR = await locateModel({
  signal: AbortSignal.timeout(240_000),
  settings: isRequired ? settings : { ...settings, sources: [] },
}).then(
  (model) => model.path,
  (error: unknown) => {
    if (isRequired) throw error;
    process.stderr.write(
      "SKIPPED: no model on this machine; `npm run demo` fetches it, CI=true requires it\n",
    );
    return undefined;
  },
);
