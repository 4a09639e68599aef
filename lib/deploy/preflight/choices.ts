/** Do the choices fit together, as the stacks see it: a wrong flag is found with everything else, before anything is made. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSpeechError } from "../../errors.ts";
import { type Check, failed, ok } from "./finding.ts";

/** @param build makes the app in the folder; its templates are not written. */
export function choicesCheck(build: (outdir: string) => unknown): Check {
  return {
    name: "choices",
    subject: "what was chosen",
    needsAws: false,
    run: async () => {
      const folder = await mkdtemp(join(tmpdir(), "deployment-choices-"));
      try {
        build(folder);
        return ok("choices", "fit together");
      } catch (error) {
        if (!isSpeechError(error)) throw error;
        return failed("choices", error.message, "give that flag as --help says");
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
