/** Memory of a whole engine process over many utterances. A measurement with a generous bound; it prints what it saw. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { MODEL_DIR } from "./model-under-test.ts";

const UTTERANCES = 60;

describe.skipIf(!MODEL_DIR)("memory", () => {
  it("stays under 1.3 GB and does not grow with the number of utterances", { timeout: 600_000 }, async () => {
    const script = fileURLToPath(new URL("../fixtures/kokoro/speak-many.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, MODEL_DIR!, String(UTTERANCES)]);
    const residentMegabytes = JSON.parse(stdout) as number[];
    process.stderr.write(
      `resident MB after every tenth of ${UTTERANCES} utterances: ${residentMegabytes.join(", ")}\n`,
    );
    expect(residentMegabytes).toHaveLength(UTTERANCES / 10);
    expect(Math.max(...residentMegabytes)).toBeLessThan(1_300);
    // Every ten hold the same lengths, so the arena has its full size after the first.
    expect(residentMegabytes.at(-1)! - residentMegabytes[1]!).toBeLessThan(80);
  });
});
