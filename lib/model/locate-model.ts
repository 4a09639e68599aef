/**
 * Finds a prepared model, or makes one: KOKORO_MODEL_DIR, SageMaker's mount, the cache, then the network.
 * Whatever happens, a model directory under its own name is whole.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type ModelSettings, readModelSettings } from "../config/model-settings.ts";
import { isSpeechError, SpeechError } from "../errors.ts";
import { withCacheLock } from "./cache-lock.ts";
import { HUGGING_FACE, VOICE_FILES } from "./catalog.ts";
import { matchesCatalog } from "./checksum.ts";
import { CommandError } from "./command.ts";
import { DownloadError, isDiskError } from "./download.ts";
import { makeFolder } from "./folder.ts";
import { prepareGraphs } from "./graph-preparation.ts";
import {
  cachedModelPath,
  type ModelDirectory,
  openModelDirectory,
  PREPARATION_VERSION,
  writeManifest,
} from "./model-directory.ts";
import { type ModelSource, modelSource } from "./model-source.ts";
import type { FetchContext, OnModelProgress } from "./progress.ts";

export interface LocateModelOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: OnModelProgress;
  readonly settings?: ModelSettings;
}

/** A source that failed, in words for people. */
interface Attempt {
  readonly source: string;
  readonly outcome: string;
  readonly cause?: unknown;
}

/**
 * May take minutes at the first call (a download); later calls find the cache.
 * @throws {SpeechError} WEIGHTS_UNAVAILABLE that lists what was tried and what to do; else the signal's reason.
 */
export async function locateModel(options: LocateModelOptions): Promise<ModelDirectory> {
  const settings = options.settings ?? readModelSettings();
  const context: FetchContext = { signal: options.signal, onProgress: options.onProgress ?? (() => {}) };
  const attempts: Attempt[] = [];

  const found = await lookOnDisk(settings, attempts);
  if (found) return found;
  await makeFolder(settings.cacheDir).catch((error: unknown) => {
    throw diskError(error, settings.cacheDir);
  });
  return await withCacheLock(
    join(settings.cacheDir, "fetch.lock"),
    {
      signal: options.signal,
      onWait: () => context.onProgress({ phase: "wait", file: "model", receivedBytes: 0, totalBytes: 0 }),
    },
    // The process waited for may have made it.
    async () => (await openCached(settings)) ?? (await fetchModel(settings, context, attempts)),
  ).catch((error: unknown) => {
    if (isDiskError(error)) throw diskError(error, settings.cacheDir);
    throw error;
  });
}

async function lookOnDisk(settings: ModelSettings, attempts: Attempt[]): Promise<ModelDirectory | undefined> {
  const { modelDir, mountedModelDir } = settings;
  if (modelDir !== undefined) {
    const named = await openModelDirectory(modelDir, "KOKORO_MODEL_DIR");
    if (named) return named;
  }
  attempts.push({
    source: "KOKORO_MODEL_DIR",
    outcome: modelDir === undefined ? "not set" : `${modelDir} holds no whole model`,
  });
  const mounted = await openModelDirectory(mountedModelDir, mountedModelDir);
  if (mounted) return mounted;
  const cached = await openCached(settings);
  if (!cached) attempts.push({ source: `the cache ${settings.cacheDir}`, outcome: "holds none" });
  return cached;
}

function openCached(settings: ModelSettings): Promise<ModelDirectory | undefined> {
  return openModelDirectory(cachedModelPath(settings.cacheDir), "the cache");
}

async function fetchModel(
  settings: ModelSettings,
  context: FetchContext,
  attempts: Attempt[],
): Promise<ModelDirectory> {
  await removeLeftovers(settings.cacheDir);
  for (const sourceName of settings.sources) {
    const source = modelSource(sourceName, settings.huggingFaceUrl);
    try {
      await requireSpace(settings.cacheDir, NEEDED_BYTES);
      return await makeModel(source, settings, context);
    } catch (error) {
      context.signal.throwIfAborted();
      // Anything else is a fault of this program and must not pass for a source that failed.
      const isSourceFailure =
        error instanceof DownloadError || error instanceof CommandError || isSpeechError(error);
      if (!isSourceFailure) throw error;
      attempts.push({ source: source.name, outcome: error.message, cause: error });
    }
  }
  if (settings.sources.length === 0) {
    attempts.push({ source: "the network", outcome: "switched off by KOKORO_WEIGHT_SOURCES" });
  }
  const tried = attempts.map((attempt) => `${attempt.source}: ${attempt.outcome}`).join("; ");
  throw new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `the weights of Kokoro-82M are not on this machine and could not be fetched (${tried}); give this machine a way to one of these sources and run again, or set KOKORO_MODEL_DIR to a model directory copied from another machine's cache`,
    { cause: attempts.findLast((attempt) => attempt.cause !== undefined)?.cause },
  );
}

/** Everything into a scratch directory beside the final one, which one rename then puts in place. */
async function makeModel(
  source: ModelSource,
  settings: ModelSettings,
  context: FetchContext,
): Promise<ModelDirectory> {
  const downloadsDir = join(settings.cacheDir, "downloads");
  const scratch = join(settings.cacheDir, `${SCRATCH_PREFIX}${randomUUID()}`);
  await makeFolder(downloadsDir);
  await mkdir(scratch);
  try {
    const graphPath = await source.fetchGraph(downloadsDir, context);
    await source.fetchVoices(downloadsDir, join(scratch, "voices"), context);
    await verifyVoices(scratch, context);
    context.onProgress({
      phase: "prepare",
      file: "the graph",
      receivedBytes: 0,
      totalBytes: source.graph.bytes,
    });
    const job = {
      source: graphPath,
      origin: source.origin,
      destination: scratch,
      stylePath: join(scratch, VOICE_FILES[0]!.path),
    };
    const { graphs, warnings } = await prepareGraphs(job, context.signal);
    // Also in the manifest; an emitted warning is all a library may say aloud.
    for (const warning of warnings) process.emitWarning(warning, "KokoroPreparationWarning");
    await writeManifest(scratch, {
      preparation: PREPARATION_VERSION,
      origin: source.origin,
      sourceSha256: source.graph.sha256,
      graphs,
      warnings,
    });
    const path = cachedModelPath(settings.cacheDir);
    await rm(path, { recursive: true, force: true }); // not whole, or it would have been taken
    await rename(scratch, path);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    // Where another process was faster, its result is as good.
    const other = await openCached(settings);
    if (!other) throw error;
  }
  const made = await openCached(settings);
  if (!made) throw new DownloadError("the prepared model is not whole", false);
  await rm(downloadsDir, { recursive: true, force: true });
  return { ...made, foundIn: source.name };
}

/** Scratch directories of processes that were killed: hundreds of megabytes that nobody would look for. */
async function removeLeftovers(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (!name.startsWith(SCRATCH_PREFIX)) continue;
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > LEFTOVER_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}
const SCRATCH_PREFIX = "scratch-";
/** Longer than a preparation takes anywhere. */
const LEFTOVER_AFTER_MS = 10 * 60_000;

async function verifyVoices(directory: string, { signal }: FetchContext): Promise<void> {
  for (const voice of VOICE_FILES) {
    if (!(await matchesCatalog(join(directory, voice.path), voice, signal))) {
      throw new DownloadError(`voice ${voice.name} is missing or has a wrong checksum`, false);
    }
  }
}

/** The download and what is made of it lie side by side for a moment; of both exports the float one is the larger. */
const NEEDED_BYTES = 2 * HUGGING_FACE.graph.bytes;

async function requireSpace(directory: string, neededBytes: number): Promise<void> {
  await makeFolder(directory);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < neededBytes) throw Object.assign(new Error("not enough space"), { code: "ENOSPC" });
}

function diskError(cause: unknown, directory: string): SpeechError {
  const isFull = ["ENOSPC", "EDQUOT"].includes(String((cause as NodeJS.ErrnoException).code));
  const megabytes = Math.ceil(NEEDED_BYTES / 1e6);
  return new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    isFull
      ? `the disk of ${directory} is full: the weights need ${megabytes} MB; make room, or set XDG_CACHE_HOME to another disk`
      : `${directory} cannot be written to; give this user the right to, or set XDG_CACHE_HOME to another folder`,
    { cause },
  );
}
