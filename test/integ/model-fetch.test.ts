/** Fetching weights over real connections: resuming, checking, two processes at once, and every way to fail. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { download } from "../../lib/model/download.ts";
import type { ModelProgress } from "../../lib/model/progress.ts";
import { type FileServer, type Misbehaviour, serveFile } from "./model-file-server.ts";

const CONTENT = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff);
const FILE = {
  path: "onnx/model.onnx",
  bytes: CONTENT.byteLength,
  sha256: createHash("sha256").update(CONTENT).digest("hex"),
};
const TIMEOUTS = { connectMs: 300, stallMs: 300, retryDelayMs: 5 };

let folder: string;
let destination: string;
const servers: FileServer[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-fetch-"));
  destination = join(folder, "deep", "model.onnx");
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await rm(folder, { recursive: true });
});
async function server(misbehaviour: Misbehaviour = {}, content = CONTENT): Promise<FileServer> {
  const started = await serveFile(content, misbehaviour);
  servers.push(started);
  return started;
}
function fetchFrom(
  url: string,
  signal = new AbortController().signal,
  onProgress: (p: ModelProgress) => void = () => {},
) {
  return download(url, FILE, destination, { signal, onProgress }, TIMEOUTS);
}
const arrived = async () => Buffer.compare(await readFile(destination), CONTENT) === 0;
const files = async () => await readdir(join(folder, "deep"));
async function leavePart(bytes: Uint8Array): Promise<void> {
  await fetchFrom((await server({ cutAfterBytes: 0 })).url).catch(() => {});
  await writeFile(`${destination}.part`, bytes);
}

describe("download", () => {
  it("brings a file, tells its progress, and does not fetch it again", async () => {
    const { url, ranges } = await server();
    const progress: ModelProgress[] = [];
    await fetchFrom(url, undefined, (one) => progress.push(one));
    expect(await arrived()).toBe(true);
    expect(await files()).toEqual(["model.onnx"]);
    expect(progress.at(-1)).toMatchObject({ phase: "verify", receivedBytes: FILE.bytes });
    const received = progress.filter((one) => one.phase === "download").map((one) => one.receivedBytes);
    expect(received).toEqual([...received].sort((a, b) => a - b));
    expect(received.at(-1)).toBe(FILE.bytes);
    await fetchFrom(url);
    expect(ranges).toHaveLength(1);
  });

  it("goes on where a killed process stopped", async () => {
    await leavePart(CONTENT.subarray(0, 300_001));
    const { url, ranges } = await server();
    await fetchFrom(url);
    expect(ranges).toEqual(["bytes=300001-"]);
    expect(await arrived()).toBe(true);
  });

  it("takes a connection that breaks off up again, as long as there is headway", async () => {
    const { url, ranges } = await server({ cutAfterBytes: 300_000 });
    await fetchFrom(url);
    expect(await arrived()).toBe(true);
    expect(ranges.length).toBeGreaterThan(1);
  });

  it("starts over with a server that knows no ranges", async () => {
    await leavePart(CONTENT.subarray(0, 300_001));
    await fetchFrom((await server({ ignoresRanges: true })).url);
    expect(await arrived()).toBe(true);
  });

  it("starts over when what is there is longer than the file", async () => {
    await leavePart(new Uint8Array(FILE.bytes + 1));
    await fetchFrom((await server()).url);
    expect(await arrived()).toBe(true);
  });

  it("fails for a wrong checksum, keeps nothing, and mends itself the next time", async () => {
    await leavePart(new Uint8Array(300_000));
    await expect(fetchFrom((await server()).url)).rejects.toThrow(
      "onnx/model.onnx arrived with a wrong checksum",
    );
    expect(await files()).toEqual([]);
    await fetchFrom((await server()).url);
    expect(await arrived()).toBe(true);
  });

  it("replaces a file that is there but damaged", async () => {
    await fetchFrom((await server()).url);
    await writeFile(destination, CONTENT.toReversed());
    await fetchFrom((await server()).url);
    expect(await arrived()).toBe(true);
  });

  it("fails for a file longer than the catalog says, before the disk is full of it", async () => {
    const longer = new Uint8Array(FILE.bytes * 3);
    await expect(fetchFrom((await server({}, longer)).url)).rejects.toThrow("longer than the catalog says");
    expect((await readFile(`${destination}.part`).catch(() => "")).length).toBeLessThanOrEqual(FILE.bytes);
  });

  it.each([
    ["status 404", { status: 404 }, "status 404"],
    ["status 503", { status: 503 }, "status 503"],
    ["a server that never answers", { isSilent: true }, "does not answer"],
    ["a connection cut at once", { cutAfterBytes: 0 }, /cannot be reached|broke off/],
  ])("fails soon for %s", async (_name, misbehaviour, words) => {
    const start = performance.now();
    await expect(fetchFrom((await server(misbehaviour)).url)).rejects.toThrow(words);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it("fails soon where nothing listens, and names the host only", async () => {
    const { url, close } = await serveFile(CONTENT);
    await close();
    await expect(fetchFrom(`${url}?token=secret`)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/,
    );
  });

  it("takes a stalled download up again, then gives up when it makes no headway", async () => {
    const { url, ranges } = await server({ stallsAfterBytes: 100_000, ignoresRanges: true });
    await expect(fetchFrom(url)).rejects.toThrow("does not answer");
    expect(ranges.length).toBeGreaterThanOrEqual(2);
  });

  it("ends with the caller's own reason when cancelled, and keeps what has arrived", async () => {
    const caller = new AbortController();
    const { url } = await server({ pauseMs: 5 });
    const fetching = fetchFrom(url, caller.signal, ({ receivedBytes }) => {
      if (receivedBytes > 200_000) caller.abort(new Error("Ctrl-C"));
    });
    await expect(fetching).rejects.toThrow("Ctrl-C");
    expect((await readFile(`${destination}.part`)).byteLength).toBeGreaterThan(0);
  });

  it.skipIf(process.platform !== "linux")("fails with the disk's own error when it is full", async () => {
    await leavePart(new Uint8Array(0));
    await rm(`${destination}.part`);
    await symlink("/dev/full", `${destination}.part`);
    await expect(fetchFrom((await server()).url)).rejects.toMatchObject({ code: "ENOSPC" });
  });
});

describe("several processes at once", () => {
  it("fetch a file once between them", async () => {
    const { url, ranges } = await server({ pauseMs: 20 });
    const script = fileURLToPath(new URL("../fixtures/model/fetch-once.ts", import.meta.url));
    const args = [script, url, String(FILE.bytes), FILE.sha256, destination];
    const codes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
        return code;
      }),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(ranges).toHaveLength(1);
    expect(await arrived()).toBe(true);
    expect(await files()).toEqual(["model.onnx"]);
  });

  it("take over from one that was killed, and go on with its part", async () => {
    const slow = await server({ pauseMs: 40 });
    const script = fileURLToPath(new URL("../fixtures/model/fetch-once.ts", import.meta.url));
    const args = (url: string) => [script, url, String(FILE.bytes), FILE.sha256, destination];
    const killed = spawn(process.execPath, args(slow.url), { stdio: "inherit" });
    const partBytes = async () => (await readFile(`${destination}.part`).catch(() => "")).length;
    while ((await partBytes()) < 100_000) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await files()).toContain("model.onnx.lock");

    const { url, ranges } = await server();
    const [code] = await once(spawn(process.execPath, args(url), { stdio: "inherit" }), "exit");
    expect(code).toBe(0);
    expect(ranges).toEqual([expect.stringMatching(/^bytes=\d{5,}-$/)]);
    expect(await arrived()).toBe(true);
  });
});
