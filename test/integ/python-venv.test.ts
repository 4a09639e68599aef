/** Python tools for tests: made once however many processes ask, skipped aloud without Python, required in CI. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { pythonTools } from "../helpers/python-venv.ts";

const python = await pythonTools("aws-emulator");
const PROGRAM = `
  const { pythonTools } = await import(${JSON.stringify(new URL("../helpers/python-venv.ts", import.meta.url).href)});
  const tools = await pythonTools("aws-emulator");
  console.log(tools === undefined ? "skipped" : tools.env.PYTHONPATH);`;

function ask(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { ...process.env, CI: "", ...env },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out: out.trim(), err })));
}

describe("Python tools for tests", () => {
  const folders: string[] = [];
  const newHome = async () => {
    const home = await mkdtemp(join(tmpdir(), "python-home-"));
    folders.push(home);
    return home;
  };
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  it.skipIf(python === undefined)("are made once when two processes ask at the same time", async () => {
    const HOME = await newHome();
    // The user's own store of wheels, so that nothing is fetched twice.
    const env = { HOME, PIP_CACHE_DIR: process.env.PIP_CACHE_DIR ?? join(homedir(), ".cache", "pip") };
    const [first, second] = await Promise.all([ask(env), ask(env)]);
    expect([first!.code, second!.code]).toEqual([0, 0]);
    expect(first!.out).toBe(second!.out);
    expect(await readdir(join(HOME, ".cache", "kokoro-agent-voice", "python"))).toHaveLength(1);
  });

  it("are skipped aloud where there is no Python, and required in CI", async () => {
    const HOME = await newHome();
    const skipped = await ask({ HOME, PATH: HOME });
    expect(skipped).toMatchObject({ code: 0, out: "skipped" });
    expect(skipped.err).toContain("SKIPPED: tests that need aws-emulator");
    const required = await ask({ HOME, PATH: HOME, CI: "true" });
    expect(required.code).toBe(1);
    expect(required.err).toContain("required in CI: there is no Python 3 on this machine");
  });
});
