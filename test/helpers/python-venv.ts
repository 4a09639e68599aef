/**
 * Python tools of exact versions for tests, each list in a folder of its own: made once by pip, then found in the
 * user's cache. A folder on PYTHONPATH (`pip install --target`), not a venv: some machines' Python lacks ensurepip,
 * all that have pip can do this, and nothing there sees or changes what the machine has installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withCacheLock } from "../../lib/model/cache-lock.ts";

/** Names of files in test/helpers/python: pinned requirements, whole, so that pip resolves nothing. */
export type PythonTools = "aws-emulator" | "cfn-lint";

export interface PythonEnvironment {
  /** The interpreter itself, no wrapper that would get the signals: `spawn(command, [...module, ...args], {env})`. */
  readonly command: string;
  /** Arguments that start the tool itself. */
  readonly module: readonly string[];
  /** The whole environment for the process: this one's, with PYTHONPATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
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
  const python = findPython();
  const requirements = fileURLToPath(new URL(`python/${tools}.txt`, import.meta.url));
  const text = await readFile(requirements, "utf8");
  const hash = createHash("sha256").update(`${python.id}\n${text}`).digest("hex").slice(0, 16);
  const root = join(cacheFolder(), "python");
  const folder = join(root, `${tools}-${hash}`);
  if (!existsSync(folder)) {
    await withCacheLock(
      `${folder}.lock`,
      { signal: AbortSignal.timeout(INSTALL_LIMIT_MS), onWait: () => {} },
      async () => {
        if (!existsSync(folder)) await install(python.command, requirements, folder);
      },
    );
  }
  return {
    command: python.command,
    module: MODULES[tools],
    env: { ...process.env, PYTHONPATH: folder, PYTHONNOUSERSITE: "1", PYTHONDONTWRITEBYTECODE: "1" },
  };
}

/** Whole or not there: it is renamed into place. */
async function install(command: string, requirements: string, folder: string): Promise<void> {
  const part = `${folder}.part-${process.pid}`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  try {
    // Wheels only: a source archive would run its set-up program.
    const pip = ["-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet"];
    await run(command, [...pip, "--disable-pip-version-check", "--target", part, "-r", requirements]);
    // So that every later start reads bytecode that is there already.
    await run(command, ["-m", "compileall", "-q", "-j", "0", part]);
    await writeFile(join(part, "requirements.txt"), await readFile(requirements));
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

interface Python {
  readonly command: string;
  /** Version and platform: wheels with compiled parts fit only these. */
  readonly id: string;
}

const ABOUT =
  "import sys, sysconfig, pip; assert sys.version_info >= (3, 10), 'Python 3.10 or newer is needed';" +
  "print(sys.executable); print(sys.implementation.cache_tag, sysconfig.get_platform())";

/** @throws when there is none that will do. */
function findPython(): Python {
  let reason = "there is no Python 3 on this machine";
  for (const command of ["python3", "python"]) {
    const { status, stdout, stderr, error } = spawnSync(command, ["-c", ABOUT], { encoding: "utf8" });
    if (error !== undefined) continue;
    const [executable, id] = stdout.trim().split(/\r?\n/);
    if (status === 0 && executable && id) return { command: executable, id };
    reason = `${command} will not do: ${stderr.trim().split("\n").at(-1)}`;
  }
  throw new Error(reason);
}

function cacheFolder(): string {
  const home = homedir();
  return home === "" ? join(tmpdir(), "kokoro-agent-voice") : join(home, ".cache", "kokoro-agent-voice");
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_LIMIT_MS });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-2_000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${args.slice(0, 3).join(" ")} ended with code ${code}: ${stderr.trim()}`));
    });
  });
}
