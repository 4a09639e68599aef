/** The container as a process: its log lines, exit codes and signals; with the real engine where weights are present. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { processEnvironment } from "../../lib/config/environment.ts";
import { readModelSettings } from "../../lib/config/model-settings.ts";
import { cachedModelPath, openModelDirectory } from "../../lib/model/model-directory.ts";
import { BIDI_PATH } from "../../lib/protocol/limits.ts";
import { TestCaller } from "../helpers/tts-server.ts";

const MAIN = fileURLToPath(new URL("../../container/tts/main.ts", import.meta.url));
const FAKE_MAIN = fileURLToPath(new URL("../helpers/fake-tts-main.ts", import.meta.url));

type LogLine = Record<string, unknown> & { event: string };
interface Running {
  readonly child: ChildProcess;
  readonly lines: LogLine[];
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
  until(event: string): Promise<LogLine>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

function run(file: string, args: string[], env: Record<string, string>, withIpc = false): Running {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: processEnvironment().PATH, HOME: processEnvironment().HOME, ...env },
    stdio: withIpc ? ["ignore", "pipe", "pipe", "ipc"] : ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const lines: LogLine[] = [];
  let stderr = "";
  child.stderr!.on("data", (data) => {
    stderr += data;
  });
  const reader = createInterface({ input: child.stdout! });
  reader.on("line", (line) => lines.push(JSON.parse(line)));
  // Not "close": Node does not emit it for a child whose IPC channel the parent closed.
  const exited = Promise.all([
    new Promise<number | null>((resolve) => child.on("exit", resolve)),
    new Promise((resolve) => reader.on("close", resolve)),
  ]).then(([code]) => code);
  const until = async (event: string) => {
    let isOver = false;
    void exited.then(() => {
      isOver = true;
    });
    for (;;) {
      const line = lines.find((entry) => entry.event === event);
      if (line) return line;
      if (isOver) throw new Error(`ended without ${event}: ${JSON.stringify(lines)} ${stderr}`);
      await sleep(10);
    }
  };
  return { child, lines, stderr: () => stderr, exited, until };
}

describe("a wrong setup ends with 2 and one line that says what to do", () => {
  test.each<[string, string[], Record<string, string>, string, RegExp]>([
    ["no argument", [], {}, "CONFIGURATION", /argument "serve"/],
    ["another argument", ["train"], {}, "CONFIGURATION", /argument "serve"/],
    ["a port that is none", ["serve"], { PORT: "http" }, "CONFIGURATION", /^PORT must be .* got "http"/],
  ])("%s", async (_, args, env, code, words) => {
    const process = run(MAIN, args, { PORT: "0", ...env });
    expect(await process.exited).toBe(2);
    expect(process.lines).toEqual([
      {
        level: "error",
        time: expect.any(String),
        event: "failed",
        code,
        message: expect.stringMatching(words),
      },
    ]);
    expect(process.stderr()).toBe("");
  });

  test("a port that is taken, named", async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, "127.0.0.1", () => resolve((blocker.address() as { port: number }).port));
    });
    try {
      const process = run(MAIN, ["serve"], { PORT: String(port) });
      expect(await process.exited).toBe(2);
      expect(process.lines.at(-1)).toMatchObject({
        level: "error",
        code: "CONFIGURATION",
        message: expect.stringMatching(/EADDRINUSE.*set PORT/),
        port,
      });
    } finally {
      blocker.close();
    }
  });

  test("no model anywhere, each place named", async () => {
    const emptyDir = await mkdtemp(join(tmpdir(), "tts-main-"));
    try {
      const env = {
        PORT: "0",
        KOKORO_MODEL_DIR: join(emptyDir, "mine"),
        XDG_CACHE_HOME: join(emptyDir, "cache"),
      };
      const process = run(MAIN, ["serve"], env);
      expect(await process.exited).toBe(2);
      expect(process.lines.at(-1)).toMatchObject({ event: "failed", code: "WEIGHTS_UNAVAILABLE" });
      const message = String(process.lines.at(-1)!.message);
      for (const place of [env.KOKORO_MODEL_DIR, "/opt/ml/model", env.XDG_CACHE_HOME]) {
        expect(message).toContain(place);
      }
    } finally {
      await rm(emptyDir, { recursive: true });
    }
  });
});

describe("the process", () => {
  test("says where it listens, is not ready until the model is loaded, and ends with 0 on SIGTERM", async () => {
    const process = run(FAKE_MAIN, [], { PORT: "0", FAKE_LOAD_MS: "500" });
    const { host, port } = await process.until("listening");
    expect(host).toBe("127.0.0.1");
    const url = `http://${host}:${port}/ping`;
    expect((await fetch(url)).status).toBe(503);
    await process.until("ready");
    expect((await fetch(url)).status).toBe(200);
    process.child.kill("SIGTERM");
    expect(await process.exited).toBe(0);
    expect(process.stderr()).toBe("");
  });

  test("ends with 0 on SIGTERM also while the model is still loading", async () => {
    const process = run(FAKE_MAIN, [], { PORT: "0", FAKE_LOAD_MS: "60000" });
    await process.until("listening");
    process.child.kill("SIGTERM");
    expect(await process.exited).toBe(0);
  });

  test("lets what was taken be spoken before it ends", async () => {
    const process = run(FAKE_MAIN, [], { PORT: "0", FAKE_MS_PER_AUDIO_SECOND: "300" });
    const { port } = await process.until("listening");
    await process.until("ready");
    const caller = new TestCaller(`ws://127.0.0.1:${port}${BIDI_PATH}`);
    await caller.opened;
    caller.send({ text: "Some words that take about a second to say.", request_id: "1" });
    await caller.until((got) => got.some((part) => part.type === "audio"));
    process.child.kill("SIGTERM");
    expect((await caller.closed).code).toBe(1001);
    expect(caller.messages().at(-1)).toMatchObject({ type: "synthesis_complete", request_id: "1" });
    expect(await process.exited).toBe(0);
    expect(process.lines.at(-1)).toMatchObject({ event: "shut_down", finished: true });
  });

  test("ends when the parent that started it over IPC is gone", async () => {
    const process = run(FAKE_MAIN, [], { PORT: "0" }, true);
    await process.until("ready");
    process.child.disconnect();
    expect(await process.exited).toBe(0);
  });
});

const settings = readModelSettings();
const found = await Promise.all(
  [settings.modelDir ?? "", settings.mountedModelDir, cachedModelPath(settings.cacheDir)].map((path) =>
    openModelDirectory(path, path),
  ),
);
const modelDir = found.find((directory) => directory !== undefined)?.path;
const hasWeights = modelDir !== undefined;
if (!hasWeights) {
  process.stderr.write(
    "SKIPPED: the TTS container with the real model; set KOKORO_MODEL_DIR to a prepared one\n",
  );
}

describe.skipIf(!hasWeights)("with the real model", () => {
  test("speaks on both routes and stays awake meanwhile", { timeout: 120_000 }, async () => {
    const container = run(MAIN, ["serve"], { PORT: "0", KOKORO_MODEL_DIR: modelDir! }, true);
    const { port } = await container.until("listening");
    await container.until("ready");
    const url = `http://127.0.0.1:${port}`;
    const whole = fetch(`${url}/invocations`, {
      method: "POST",
      body: JSON.stringify({ text: "Hello world. This is the second sentence of a short text." }),
    });
    const pings: number[] = [];
    let isBusy = true;
    void whole.finally(() => {
      isBusy = false;
    });
    while (isBusy) {
      const startedMs = performance.now();
      expect((await fetch(`${url}/ping`)).status).toBe(200);
      pings.push(performance.now() - startedMs);
      await sleep(20);
    }
    const wav = readWav(Buffer.from(await (await whole).arrayBuffer()));
    const seconds = wav.pcm16.length / 2 / wav.sampleRateHz;
    expect(seconds).toBeGreaterThan(2.5);
    expect(seconds).toBeLessThan(9);
    expect(loudest(wav.pcm16)).toBeGreaterThan(3_000);
    expect(pings.sort((a, b) => a - b)[pings.length >> 1]).toBeLessThan(50);

    const caller = new TestCaller(`ws://127.0.0.1:${port}${BIDI_PATH}`);
    await caller.opened;
    for (const text of ["Hello world.", "...", "And goodbye."]) caller.send({ text });
    caller.send({ type: "close" });
    expect((await caller.closed).code).toBe(1000);
    const complete = caller.messages().filter((message) => message.type === "synthesis_complete");
    expect(complete).toHaveLength(3);
    expect(complete[1]).toMatchObject({ total_duration_s: 0 });
    expect(loudest(caller.audio())).toBeGreaterThan(3_000);
    container.child.kill("SIGTERM");
    expect(await container.exited).toBe(0);
  });
});

function loudest(pcm16: Uint8Array): number {
  const view = Buffer.from(pcm16.buffer, pcm16.byteOffset, pcm16.byteLength);
  let peak = 0;
  for (let at = 0; at + 1 < view.length; at += 2) peak = Math.max(peak, Math.abs(view.readInt16LE(at)));
  return peak;
}
