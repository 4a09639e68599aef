/** Each image's exact files, installed and thinned out as its Dockerfile does it, run apart from this repository. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { LOCAL_CREDENTIALS } from "../../lib/config/names.ts";
import { IMAGES, type ImageName } from "../../lib/deploy/images/image-definition.ts";
import { assembleImageFiles } from "../helpers/image-files.ts";
import { killProcesses, runProcess } from "../helpers/tts-process.ts";
import { MODEL_DIR } from "./model-under-test.ts";

/** Megabytes that the files may take beside node (127) and the system: the images' bounds, less those. */
const FILES_MAX_MB = { tts: 140, agent: 90 } as const;

const folders: string[] = [];
afterEach(async () => {
  killProcesses();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function assembled(name: ImageName): Promise<string> {
  const app = await mkdtemp(join(tmpdir(), `image-${name}-`));
  folders.push(app);
  await assembleImageFiles(IMAGES[name], app);
  const files = await Promise.all(
    (await readdir(app, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).blocks * 512),
  );
  const megabytes = Math.round(files.reduce((sum, bytes) => sum + bytes, 0) / 1e6);
  process.stdout.write(`image ${name}: /app has ${files.length} files, ${megabytes} MB on disk\n`);
  expect(megabytes).toBeLessThan(FILES_MAX_MB[name]);
  return app;
}

/** Weights aside, a folder that is missing shows when it is loaded, in the main thread or in a worker. */
describe.skipIf(!MODEL_DIR || process.platform !== "linux" || process.arch !== "x64")("the files of", () => {
  test("the TTS image answer /ping, speak a sentence, and end on SIGTERM", async () => {
    const app = await assembled("tts");
    const env = { PORT: "0", NODE_ENV: "production", KOKORO_DEVICE: "cpu", KOKORO_MODEL_DIR: MODEL_DIR! };
    const container = runProcess(join(app, "container/tts/main.ts"), ["serve"], env);
    const { port } = await container.until("listening");
    await container.until("ready");
    expect(container.lines.find(({ event }) => event === "device")).toMatchObject({ device: "cpu" });
    expect((await fetch(`http://127.0.0.1:${port}/ping`)).status).toBe(200);
    const answer = await fetch(`http://127.0.0.1:${port}/invocations`, {
      method: "POST",
      body: JSON.stringify({ text: "The image has all that it needs." }),
    });
    const wav = readWav(Buffer.from(await answer.arrayBuffer()));
    expect(wav.pcm16.length / 2 / wav.sampleRateHz).toBeGreaterThan(1);
    container.child.kill("SIGTERM");
    expect(await container.exited).toBe(0);
    expect(container.stderr()).toBe("");
  });

  test("the agent's image answer /ping, and end on SIGTERM", async () => {
    const app = await assembled("agent");
    const env = {
      PORT: "0",
      NODE_ENV: "production",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    };
    const container = runProcess(join(app, "container/agent/main.ts"), ["serve"], env);
    const { port } = await container.until("listening");
    expect((await fetch(`http://127.0.0.1:${port}/ping`)).status).toBe(200);
    container.child.kill("SIGTERM");
    expect(await container.exited).toBe(0);
  });
});
