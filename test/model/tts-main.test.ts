/** The TTS container as a process with the real model: both routes, awake meanwhile, a proper end. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { BIDI_PATH } from "../../lib/protocol/limits.ts";
import { killProcesses, runProcess as run } from "../helpers/tts-process.ts";
import { TestCaller } from "../helpers/tts-server.ts";
import { MODEL_DIR } from "./model-under-test.ts";

const MAIN = fileURLToPath(new URL("../../container/tts/main.ts", import.meta.url));

afterEach(killProcesses);

describe.skipIf(!MODEL_DIR)("with the real model", () => {
  test("speaks on both routes and stays awake meanwhile", { timeout: 120_000 }, async () => {
    const container = run(MAIN, ["serve"], { PORT: "0", KOKORO_MODEL_DIR: MODEL_DIR! }, true);
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
