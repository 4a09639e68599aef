import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withCacheLock } from "../../lib/model/cache-lock.ts";

const TIMES = { touchMs: 20, staleAfterMs: 200, pollMs: 5 };
const NEVER = new AbortController().signal;
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cache-lock-"));
  path = join(folder, "deep", "fetch.lock");
});
afterEach(() => rm(folder, { recursive: true }));

const locked = <Result>(work: () => Promise<Result>, onWait = () => {}, signal = NEVER) =>
  withCacheLock(path, { signal, onWait, times: TIMES }, work);
/** A lock file as a process that ended without removing it left it. */
async function leftLock(owner: string, ageMs: number): Promise<void> {
  await locked(async () => {});
  await writeFile(path, owner);
  const touched = new Date(Date.now() - ageMs);
  await utimes(path, touched, touched);
}

describe("cache lock", () => {
  it("lets one in at a time and tells the others that they wait", async () => {
    let inside = 0;
    let most = 0;
    let waits = 0;
    const work = async () => {
      inside++;
      most = Math.max(most, inside);
      await delay(15);
      inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => locked(work, () => waits++)));
    expect(most).toBe(1);
    expect(waits).toBe(7);
  });

  it("gives the work's result, passes on its failure, and leaves no file", async () => {
    expect(await locked(async () => 5)).toBe(5);
    await expect(locked(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await readdir(join(folder, "deep"))).toEqual([]);
  });

  it("is kept by work that takes longer than the time after which it would be stale", async () => {
    const order: string[] = [];
    await Promise.all([
      locked(async () => {
        await delay(500);
        order.push("first");
      }),
      delay(20).then(() => locked(async () => order.push("second"))),
    ]);
    expect(order).toEqual(["first", "second"]);
  });

  it.each([
    ["a process of this machine that is gone", `${hostname()} 2147483646`, 0],
    ["another machine, long not touched", "elsewhere 1", 10_000],
    ["nobody, long not touched", "", 10_000],
  ])("is taken over from %s", async (_name, owner, ageMs) => {
    await leftLock(owner, ageMs);
    expect(await locked(async () => "mine")).toBe("mine");
    expect(await readdir(join(folder, "deep"))).toEqual([]);
  });

  it.each([
    ["this process", `${hostname()} ${process.pid}`],
    ["another machine", "elsewhere 1"],
    ["somebody who has not written its name yet", ""],
  ])("is respected while %s touches it, and the wait ends with the signal", async (_name, owner) => {
    await leftLock(owner, 0);
    const signal = AbortSignal.timeout(100);
    await expect(
      locked(
        async () => "mine",
        () => {},
        signal,
      ),
    ).rejects.toThrow();
    expect(await readdir(join(folder, "deep"))).toEqual(["fetch.lock"]);
  });
});
