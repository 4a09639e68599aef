/**
 * One process at a time fetches and prepares into a cache; the others wait and find the work done. A lock file
 * made with O_EXCL that names its owner, touched while the owner lives. No such process on this machine, or no
 * touch for a while (a cache shared by machines), means that it died.
 *
 * The lock saves work, it does not guard the data: every file is checked and renamed into place, so that even a
 * lock taken over wrongly (a laptop that slept) does no harm.
 */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "./folder.ts";

export interface CacheLockTimes {
  readonly touchMs: number;
  readonly staleAfterMs: number;
  readonly pollMs: number;
}
const DEFAULT_TIMES: CacheLockTimes = { touchMs: 2_000, staleAfterMs: 20_000, pollMs: 250 };

/**
 * @param onWait called once, if another process holds the lock.
 * @param work runs under the lock, which is released when it settles.
 */
export async function withCacheLock<Result>(
  path: string,
  options: { readonly signal: AbortSignal; readonly onWait: () => void; readonly times?: CacheLockTimes },
  work: () => Promise<Result>,
): Promise<Result> {
  const times = options.times ?? DEFAULT_TIMES;
  await makeFolder(dirname(path));
  let hasWaited = false;
  while (!(await tryCreate(path))) {
    if (!hasWaited) options.onWait();
    hasWaited = true;
    await removeIfStale(path, times.staleAfterMs);
    await delay(times.pollMs, undefined, { signal: options.signal });
  }
  const touch = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {}); // taken over: harmless, see above
  }, times.touchMs);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(path, { force: true });
  }
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${hostname()} ${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Two waiters may see the same dead lock: what is moved away is put back if it is a new owner's. */
async function removeIfStale(path: string, staleAfterMs: number): Promise<void> {
  try {
    const seen = await stat(path);
    // The file system's clock wrote mtime; a network drive's may differ from ours by less than the limit.
    const isFresh = Date.now() - seen.mtimeMs < staleAfterMs;
    if (isFresh && !isDead(await readFile(path, "utf8"))) return;
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    const moved = await stat(aside);
    if (moved.ino !== seen.ino || moved.mtimeMs !== seen.mtimeMs) await link(aside, path).catch(() => {});
    await rm(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // released meanwhile
  }
}

/** Sure only of processes of this machine; a lock just made may not have its owner's name in it yet. */
function isDead(owner: string): boolean {
  const [host, pid] = owner.trim().split(" ");
  if (host !== hostname() || !Number.isInteger(Number(pid))) return false;
  try {
    process.kill(Number(pid), 0); // signal 0 only asks
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
