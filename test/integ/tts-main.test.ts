/** The container as a process: its log lines, exit codes and signals. With the real engine: test/model/tts-main.test.ts. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { BIDI_PATH } from "../../lib/protocol/limits.ts";
import { killProcesses, runProcess as run } from "../helpers/tts-process.ts";
import { TestCaller } from "../helpers/tts-server.ts";

const MAIN = fileURLToPath(new URL("../../container/tts/main.ts", import.meta.url));
const FAKE_MAIN = fileURLToPath(new URL("../helpers/fake-tts-main.ts", import.meta.url));

afterEach(killProcesses);

describe("a wrong setup ends with 2 and one line that says what to do", () => {
  test.each<[string, string[], Record<string, string>, string, RegExp]>([
    ["no argument", [], {}, "CONFIGURATION", /argument "serve"/],
    ["another argument", ["train"], {}, "CONFIGURATION", /argument "serve"/],
    ["a port that is none", ["serve"], { PORT: "http" }, "CONFIGURATION", /^PORT must be .* got "http"/],
    ["a device that is none", ["serve"], { KOKORO_DEVICE: "tpu" }, "CONFIGURATION", /cpu or cuda, got "tpu"/],
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
