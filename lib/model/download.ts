/**
 * One file by HTTP(S): into `<destination>.part`, taken up again where it broke off, checked, then renamed. So
 * a file under its own name is always whole and right, whenever the process was killed.
 */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { CatalogFile } from "./catalog.ts";
import { matchesCatalog, sizeOfFile } from "./checksum.ts";
import { makeFolder } from "./folder.ts";
import type { FetchContext } from "./progress.ts";

export interface DownloadTimeouts {
  /** Until the headers are here. Short, so that a machine without network goes on to the next source. */
  readonly connectMs: number;
  /** Between two pieces of the body. */
  readonly stallMs: number;
  /** Before a broken download is taken up again. */
  readonly retryDelayMs: number;
}

const DEFAULT_TIMEOUTS: DownloadTimeouts = { connectMs: 6_000, stallMs: 30_000, retryDelayMs: 1_000 };
/** A download that makes headway may break off this often. */
const BREAKS_MAX = 5;

/** A reason in words for people; lib/model/locate-model.ts puts it into its one error. */
export class DownloadError extends Error {
  /** False: trying again cannot help. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "DownloadError";
    this.isTransient = isTransient;
  }
}

/**
 * Does nothing when the destination is there and right.
 * @throws {DownloadError}
 */
export async function download(
  url: string,
  file: CatalogFile,
  destination: string,
  context: FetchContext,
  timeouts: DownloadTimeouts = DEFAULT_TIMEOUTS,
): Promise<void> {
  if (await matchesCatalog(destination, file, context.signal)) return;
  await makeFolder(dirname(destination));
  const part = `${destination}.part`;
  let breaks = 0;
  for (;;) {
    const before = (await sizeOfFile(part)) ?? 0;
    try {
      await receive(url, file, part, context, timeouts);
      break;
    } catch (error) {
      context.signal.throwIfAborted();
      const headway = ((await sizeOfFile(part)) ?? 0) > before;
      const isTransient = error instanceof DownloadError && error.isTransient;
      // Without headway there is no network or no such file: the caller has other sources.
      if (!isTransient || !headway || ++breaks > BREAKS_MAX) throw error;
      await delay(timeouts.retryDelayMs, undefined, { signal: context.signal });
    }
  }
  context.onProgress({
    phase: "verify",
    file: file.path,
    receivedBytes: file.bytes,
    totalBytes: file.bytes,
  });
  if (!(await matchesCatalog(part, file, context.signal))) {
    await rm(part, { force: true });
    throw new DownloadError(`${file.path} arrived with a wrong checksum`, false);
  }
  await rename(part, destination);
}

/** Appends to `part` until it is as long as the file. */
async function receive(
  url: string,
  file: CatalogFile,
  part: string,
  { signal, onProgress }: FetchContext,
  timeouts: DownloadTimeouts,
): Promise<void> {
  let offset = (await sizeOfFile(part)) ?? 0;
  if (offset > file.bytes) {
    await rm(part, { force: true });
    offset = 0;
  }
  if (offset === file.bytes) return;

  const watchdog = new Watchdog(timeouts.connectMs, signal);
  try {
    const response = await fetch(url, {
      // A compressed answer would count other bytes than the ranges do.
      headers: { "Accept-Encoding": "identity", ...(offset > 0 && { Range: `bytes=${offset}-` }) },
      signal: watchdog.signal,
    });
    const isResumed = response.status === 206 && contentStart(response) === offset;
    if (!response.ok || response.body === null || (response.status === 206 && !isResumed)) {
      await response.body?.cancel();
      if (response.status === 416) await rm(part, { force: true });
      throw new DownloadError(
        `${new URL(url).host} answered with status ${response.status}`,
        response.status >= 500 || response.status === 416,
      );
    }
    let received = isResumed ? offset : 0;
    await pipeline(
      Readable.fromWeb(response.body),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          watchdog.restart(timeouts.stallMs);
          received += chunk.byteLength;
          if (received > file.bytes) {
            throw new DownloadError(`${file.path} is longer than the catalog says`, false);
          }
          onProgress({ phase: "download", file: file.path, receivedBytes: received, totalBytes: file.bytes });
          yield chunk;
        }
      },
      createWriteStream(part, { flags: isResumed ? "a" : "w", flush: true }),
    );
    if (received < file.bytes) throw new DownloadError(`${new URL(url).host} broke off`, true);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DownloadError || isDiskError(error)) throw error;
    throw new DownloadError(`${new URL(url).host} ${networkReason(error, watchdog)}`, true, error);
  } finally {
    watchdog.stop();
  }
}

/** First byte of `Content-Range: bytes 100-199/200` (RFC 9110, 14.4). */
function contentStart(response: Response): number | undefined {
  const match = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
  return match ? Number(match[1]) : undefined;
}

function networkReason(error: unknown, watchdog: Watchdog): string {
  if (watchdog.hasFired) return "does not answer";
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? `cannot be reached (${cause.code})` : "cannot be reached";
}

/** Full, read-only or forbidden: no other source mends that. */
export function isDiskError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    typeof code === "string" && ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOTDIR"].includes(code)
  );
}

/** Aborts when nothing happened for a time, or when the owner aborts. */
class Watchdog {
  readonly signal: AbortSignal;
  readonly #silence = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(firstMs: number, owner: AbortSignal) {
    this.signal = AbortSignal.any([owner, this.#silence.signal]);
    this.#timer = this.#arm(firstMs);
  }

  get hasFired(): boolean {
    return this.#silence.signal.aborted;
  }

  restart(silenceMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#arm(silenceMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(silenceMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#silence.abort(), silenceMs);
  }
}
