/**
 * The TTS container as a process of its own, like container/tts/main.ts in all but the engine: for tests that start real
 * processes and need no model. FAKE_MS_PER_AUDIO_SECOND paces it, FAKE_LOAD_MS is the time it takes to load.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../container/tts/log.ts";
import { serve } from "../../container/tts/serve.ts";
import { processEnvironment } from "../../lib/config/environment.ts";
import { readTtsSettings } from "../../lib/config/tts-settings.ts";
import { CONTAINER_PORT, TEXT_MAX_CHARS_DEFAULT } from "../../lib/protocol/limits.ts";
import { FakeSynthesizer } from "./fake-synthesizer.ts";

const env = processEnvironment();
const ending = new AbortController();
for (const event of ["SIGTERM", "SIGINT", "disconnect"]) process.on(event, () => ending.abort(event));
await serve({
  settings: readTtsSettings(env, { port: CONTAINER_PORT, textMaxChars: TEXT_MAX_CHARS_DEFAULT }),
  workers: 1,
  startSynthesizer: async () => {
    await sleep(Number(env.FAKE_LOAD_MS ?? 0));
    return new FakeSynthesizer({ msPerAudioSecond: Number(env.FAKE_MS_PER_AUDIO_SECOND ?? 0) });
  },
  log: createLog((line) => process.stdout.write(`${line}\n`), Date.now),
  ending: ending.signal,
});
process.exit(0);
