/** Python tools of exact versions for tests (lib/bench/python-packages.ts), each list in a folder of its own. */
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PythonPackages, pythonPackages } from "../../lib/bench/python-packages.ts";

/** Names of files in test/helpers/python: pinned requirements, whole, so that pip resolves nothing. */
export type PythonTools = "aws-emulator" | "cfn-lint";

/** `spawn(command, [...module, ...args], {env})` */
export interface PythonEnvironment extends PythonPackages {
  /** Arguments that start the tool itself. */
  readonly module: readonly string[];
}

const MODULES: Readonly<Record<PythonTools, readonly string[]>> = {
  // The package has no __main__, its script has a path of the folder in which it was installed.
  "cfn-lint": ["-c", "import sys; from cfnlint.runner import main; sys.exit(main())"],
  "aws-emulator": [fileURLToPath(new URL("aws-emulator/main.py", import.meta.url))],
};

const INSTALL_LIMIT_MS = 240_000;

/**
 * Safe in several processes at once: the others wait.
 *
 * @returns undefined where there is no Python 3.10 with pip, or pip cannot fetch: said aloud on stderr, so that the
 *   tests can be skipped (`describe.skipIf(python === undefined)`).
 * @throws the same where CI=true: nothing is skipped there.
 */
export async function pythonTools(tools: PythonTools): Promise<PythonEnvironment | undefined> {
  try {
    return await makePythonTools(tools);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (process.env.CI === "true") throw new Error(`${tools} is required in CI: ${reason}`, { cause: error });
    process.stderr.write(`SKIPPED: tests that need ${tools} (PyPI): ${reason}\n`);
    return undefined;
  }
}

async function makePythonTools(tools: PythonTools): Promise<PythonEnvironment> {
  const requirements = fileURLToPath(new URL(`python/${tools}.txt`, import.meta.url));
  const list = { name: tools, requirements, root: join(cacheFolder(), "python") };
  const packages = await pythonPackages(list, { signal: AbortSignal.timeout(INSTALL_LIMIT_MS) });
  return { ...packages, module: MODULES[tools] };
}

function cacheFolder(): string {
  const home = homedir();
  return home === "" ? join(tmpdir(), "kokoro-agent-voice") : join(home, ".cache", "kokoro-agent-voice");
}
