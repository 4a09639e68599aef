/**
 * Everything that tests leave in the folder for temporary files goes with them: the CDK alone leaves a folder for each app
 * that is synthesized. Vitest calls this once before a level's first test, and what it returns after the last.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What os.tmpdir() reads, on every system. */
const NAMES = ["TMPDIR", "TEMP", "TMP"];

export default async function setup(): Promise<() => Promise<void>> {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  const folder = await mkdtemp(join(tmpdir(), "speech-tests-"));
  for (const name of NAMES) process.env[name] = folder;
  return async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
