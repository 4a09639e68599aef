/**
 * Runs a command with this project's own toolchain, installing it first when that is needed.
 *
 * Plain JavaScript without a dependency, because it runs before anything is installed and on whatever Node
 * (>= 20) the machine has. Node 24, which runs the .ts files unbuilt, comes from the registry as an optional
 * package, so that a fresh clone needs neither a version manager nor an install script.
 *
 *   node bin/launch.mjs bin/agent-infra.ts demo      a .ts file runs on the project's Node
 *   node bin/launch.mjs vitest run                   anything else is found on PATH, node_modules/.bin first
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, rmdir } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
const NODE_MAJOR = 24;
const GUARD = "lib/local/child-process-guard.ts";
const WINDOWS = process.platform === "win32";
/** An install takes a minute or two; a lock older than this was left by a process that was killed. */
const STALE_LOCK_MS = 15 * 60_000;

/** @param {string[]} argv command and its arguments */
export async function launch(argv) {
  await installOnce();
  const node = findNode();
  const [command, ...args] = argv;
  const isScript = command?.endsWith(".ts");
  // The guard and its channel end the script when this process is killed outright: nothing stays behind.
  const guarded = isScript;
  const script = guarded ? ["--import", pathToFileURL(join(ROOT, GUARD)).href] : [];
  const child = spawn(
    isScript ? node : command,
    isScript ? [...script, resolve(ROOT, command), ...args] : args,
    {
      stdio: guarded ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
      shell: WINDOWS && !isScript,
      env: {
        ...process.env,
        PATH: [dirname(node), join(MODULES, ".bin"), process.env.PATH].join(delimiter),
        // npm sets this to its own node; what it starts must use ours.
        npm_node_execpath: node,
        // What tests load too, without a command of ours around it: lib/config/telemetry.ts.
        ORT_DISABLE_TELEMETRY: "1",
      },
    },
  );
  // A terminal sends Ctrl-C to the whole group, so the child has it already (twice would mean "at once");
  // without a terminal it came to us alone.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot run ${command}: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1);
  });
}

/** Two terminals may start at once on a fresh clone: the second waits, then finds all installed. */
async function installOnce() {
  if (isInstalled()) return;
  const lock = join(ROOT, ".install.lock");
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch {
      if (!existsSync(lock)) fail(`cannot write in ${ROOT}; the packages are installed there`);
      if (Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS) await rmdir(lock).catch(() => {});
      await new Promise((done) => setTimeout(done, 500));
    }
  }
  try {
    if (!isInstalled()) install();
  } finally {
    await rmdir(lock).catch(() => {});
  }
}

function install() {
  process.stderr.write("Installing packages (once, about a minute) ...\n");
  const started = Date.now();
  // --loglevel=error: the machine's older Node makes npm warn about engines that the project's own Node meets.
  const result = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", 2, "inherit"],
    shell: WINDOWS,
  });
  if (result.error)
    fail(`npm could not be started: ${result.error.message}. Install Node ${NODE_MAJOR} with npm.`);
  if (result.status !== 0) {
    fail(
      "npm ci failed; its message is above. Is the package registry reached? Then try the same command again.",
    );
  }
  process.stderr.write(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** npm notes what it put on disk in node_modules/.package-lock.json: installed means that it agrees with the lock. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
    const present = JSON.parse(readFileSync(join(MODULES, ".package-lock.json"), "utf8")).packages;
    return Object.entries(wanted).every(([path, entry]) => {
      if (!path.includes("node_modules/") || entry.link) return true;
      const found = present[path];
      return found
        ? found.version === entry.version
        : Boolean(entry.optional || entry.devOptional || entry.peer);
    });
  } catch {
    return false;
  }
}

function findNode() {
  const folder = join(MODULES, `node-${WINDOWS ? "win" : process.platform}-${process.arch}`, "bin");
  const own = join(folder, WINDOWS ? "node.exe" : "node");
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath;
  return fail(
    `Node ${NODE_MAJOR} or newer is needed, this is ${process.versions.node}, and no package of it exists for ` +
      `${process.platform} ${process.arch}. Install it (nvm install ${NODE_MAJOR}), then try the same command again.`,
  );
}

/** @returns {never} */
function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) await launch(process.argv.slice(2));
