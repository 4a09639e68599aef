/** The TTS container ends properly whatever its engine is doing: ONNX Runtime aborts a process that leaves it mid-way. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { processEnvironment } from "../../lib/config/environment.ts";
import { MODEL_DIR } from "./model-under-test.ts";

const MAIN = fileURLToPath(new URL("../../container/tts/main.ts", import.meta.url));
const TEXT =
  "The quick brown fox jumps over the lazy dog, near the bank of the river, and then it runs home to sleep.";

let container: ChildProcess | undefined;
afterEach(() => container?.kill("SIGKILL"));

/** Resolves with the log line of the event. */
async function start(event: string): Promise<{ port: number }> {
  const env = { ...processEnvironment(), PORT: "0", KOKORO_MODEL_DIR: MODEL_DIR };
  container = spawn(process.execPath, [MAIN, "serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let port = 0;
  for await (const line of createInterface({ input: container.stdout! })) {
    const entry = JSON.parse(line);
    port = entry.port ?? port;
    if (entry.event === event) break;
  }
  container.stdout!.resume();
  return { port };
}
async function end(): Promise<unknown[]> {
  container!.kill("SIGTERM");
  return await once(container!, "exit");
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!MODEL_DIR)("SIGTERM", () => {
  it.each([0, 300, 1_000])("ends with 0 while the model loads, %i ms after listening", async (delayMs) => {
    await start("listening");
    await pause(delayMs);
    expect(await end()).toEqual([0, null]);
  });

  it("ends with 0 while it speaks, after what was asked was said", async () => {
    const { port } = await start("ready");
    const answer = fetch(`http://127.0.0.1:${port}/invocations`, {
      method: "POST",
      body: JSON.stringify({ text: TEXT }),
    }).then((response) => response.arrayBuffer());
    await pause(400);
    expect(await end()).toEqual([0, null]);
    expect((await answer).byteLength).toBeGreaterThan(100_000);
  });

  it("ends with 0 when the caller left in the middle of a sentence", async () => {
    const { port } = await start("ready");
    const caller = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/invocations`, {
      method: "POST",
      body: JSON.stringify({ text: TEXT }),
      signal: caller.signal,
    });
    await pause(400);
    caller.abort();
    await expect(answer).rejects.toThrow();
    expect(await end()).toEqual([0, null]);
  });
});
