/**
 * One life of the container: listen, load the model, serve, shut down. It listens first, so that /ping can say 503 while the
 * model loads, and a taken port is known at once. Knows no process: signals come in as an AbortSignal.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { TtsSettings } from "../../lib/config/tts-settings.ts";
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { warmUpSpeakableText } from "../../lib/text/speakable-warm-up.ts";
import { SYSTEM_CLOCK } from "./clock.ts";
import type { Log } from "./log.ts";
import { TtsServer } from "./server.ts";
import { SpeechService } from "./speech-service.ts";

/** SageMaker sends SIGKILL 30 s after SIGTERM: what is not spoken by then is cut while answers can still leave. */
const DRAIN_MS = 20_000;
/** A piece of speech or the start of an engine takes less; with the above it stays within the 30 s. */
const CLOSE_MS = 8_000;

export interface ServeOptions {
  readonly settings: TtsSettings;
  /** Sentences the engine speaks at once. */
  readonly workers: number;
  /** Resolves when the engine is warm. */
  readonly startSynthesizer: () => Promise<Synthesizer>;
  readonly log: Log;
  /** Aborting shuts down: what was taken is still spoken, within a bound. */
  readonly ending: AbortSignal;
}

/**
 * Resolves when all is shut down.
 * @throws {SpeechError} CONFIGURATION when the port is taken; what `startSynthesizer` throws.
 */
export async function serve({
  settings,
  workers,
  startSynthesizer,
  log,
  ending,
}: ServeOptions): Promise<void> {
  const service = new SpeechService({
    textMaxChars: settings.textMaxChars,
    turnsAtOnce: workers,
    queueMax: settings.queueMax,
    clock: SYSTEM_CLOCK,
    log,
  });
  const server = await TtsServer.start({ host: settings.host, port: settings.port, service });
  log("info", "listening", { host: settings.host, port: server.port, workers });
  const ended = untilAborted(ending);
  const startedMs = SYSTEM_CLOCK.steadyMs();
  const loading = Promise.all([startSynthesizer(), warmUpSpeakableText()]).then(([synthesizer]) => {
    service.becomeReady(synthesizer);
    log("info", "ready", { load_ms: Math.round(SYSTEM_CLOCK.steadyMs() - startedMs) });
    return synthesizer;
  });
  try {
    // Whichever comes first: the end, also while loading; or that it cannot be loaded.
    await Promise.race([ended, loading.then(() => ended)]);
  } finally {
    log("info", "shutting_down", { reason: String(ending.reason ?? "the model cannot be loaded") });
    const isFinished = await server.drain(DRAIN_MS);
    await closeEngine(loading);
    log("info", "shut_down", { finished: isFinished });
  }
}

/**
 * A thread that is ended inside ONNX Runtime, also while it loads, aborts the whole process: it is waited for. Not
 * for ever: an engine that hangs is left to the end of the process.
 */
async function closeEngine(loading: Promise<Synthesizer>): Promise<void> {
  const closing = loading.then(
    (synthesizer) => synthesizer.close(),
    () => {}, // it was reported where it was awaited
  );
  const patience = new AbortController();
  await Promise.race([closing, delay(CLOSE_MS, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
