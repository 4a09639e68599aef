/**
 * Entry of the TTS image, run with the argument `serve` as SageMaker does. It only joins what serve.ts needs to this
 * process: settings, the engine, log lines on stdout, signals, exit codes (0 after SIGTERM, 2 for a wrong setup).
 */
import { availableParallelism } from "node:os";
import { processEnvironment } from "../../lib/config/environment.ts";
import { readModelSettings } from "../../lib/config/model-settings.ts";
import { disableTelemetry } from "../../lib/config/telemetry.ts";
import { readTtsSettings } from "../../lib/config/tts-settings.ts";
import { isSpeechError, SpeechError } from "../../lib/errors.ts";
import { chooseDevice } from "../../lib/kokoro/compute-device.ts";
import { defaultWorkerPlan, startWorkerSynthesizer } from "../../lib/kokoro/worker-synthesizer.ts";
import { cachedModelPath, openModelDirectory } from "../../lib/model/model-directory.ts";
import { CONTAINER_PORT, TEXT_MAX_CHARS_DEFAULT } from "../../lib/protocol/limits.ts";
import { SYSTEM_CLOCK } from "./clock.ts";
import { createLog, errorFields } from "./log.ts";
import { serve } from "./serve.ts";

disableTelemetry();
const log = createLog((line) => process.stdout.write(`${line}\n`), SYSTEM_CLOCK.wallMs);
process.on("uncaughtException", (error) => fail("crashed", error));
const ending = endOnSignal();
try {
  const [command, ...rest] = process.argv.slice(2);
  if (command !== "serve" || rest.length > 0) {
    throw new SpeechError("CONFIGURATION", 'run this program with the one argument "serve"');
  }
  const defaults = { port: CONTAINER_PORT, textMaxChars: TEXT_MAX_CHARS_DEFAULT };
  const settings = readTtsSettings(processEnvironment(), defaults);
  const plan = defaultWorkerPlan(availableParallelism());
  const workers = settings.workers ?? plan.workers;
  const threadsPerWorker = settings.threadsPerWorker ?? plan.threadsPerWorker;
  const startSynthesizer = async () => {
    const modelDir = await findModel();
    const { device, reason } = await chooseDevice(settings.device, settings.deviceFallback);
    log(device === settings.device ? "info" : "warn", "device", { device, asked: settings.device, reason });
    return await startWorkerSynthesizer({ modelDir, workers, threadsPerWorker, device });
  };
  await serve({ settings, workers, startSynthesizer, log, ending });
  process.exit(0);
} catch (error) {
  fail("failed", error);
}

/** Only looks on this machine: fetching weights is the command line's, an image has them mounted. */
async function findModel(): Promise<string> {
  const { modelDir, mountedModelDir, cacheDir } = readModelSettings(processEnvironment());
  const places = [...(modelDir ? [modelDir] : []), mountedModelDir, cachedModelPath(cacheDir)];
  for (const path of places) {
    if (!(await openModelDirectory(path, path))) continue;
    // Somebody believes that their own weights speak.
    if (modelDir && path !== modelDir) log("warn", "model_dir_unusable", { model_dir: modelDir, used: path });
    return path;
  }
  throw new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `no whole model in ${places.join(", ")}; set KOKORO_MODEL_DIR to a prepared one, or fetch it with speech-infra serve`,
  );
}

/** Losing the parent that started us over IPC counts as a signal: no orphan keeps the port and the memory. */
function endOnSignal(): AbortSignal {
  const controller = new AbortController();
  const end = (reason: string) => {
    if (controller.signal.aborted) process.exit(1); // asked twice: now
    controller.abort(reason);
  };
  process.on("SIGTERM", () => end("SIGTERM"));
  process.on("SIGINT", () => end("SIGINT"));
  process.on("disconnect", () => end("disconnect"));
  // It may have been lost while the modules were loaded, before anyone listened.
  if (process.send !== undefined && !process.connected) end("disconnect");
  return controller.signal;
}

function fail(event: string, error: unknown): never {
  log("error", event, { ...errorFields(error), ...(isSpeechError(error) && error.details) });
  process.exit(isSpeechError(error) ? error.exitCode : 1);
}
