/**
 * What the TTS container reads from the environment. SageMaker sets nothing here: every variable has a default that
 * suits an endpoint, except HOST, which an image sets to 0.0.0.0 and which stays on loopback everywhere else. Where the
 * model lies is told by model-settings.ts.
 */
import { choiceSetting, type Environment, integerSetting, stringSetting } from "./environment.ts";
import { SPEECH_DEVICES, type SpeechDevice } from "./speech-catalog.ts";

export interface TtsSettings {
  /** HOST: address to listen on. Default 127.0.0.1. */
  readonly host: string;
  /** PORT: 0 takes any free one. */
  readonly port: number;
  /** SPEECH_WORKERS: worker threads, each with its own copy of the model; undefined leaves it to the engine. */
  readonly workers: number | undefined;
  /** SPEECH_THREADS: CPU threads of one worker; undefined leaves it to the engine. */
  readonly threadsPerWorker: number | undefined;
  /** KOKORO_DEVICE: what computes, `cpu` (default) or `cuda`. */
  readonly device: SpeechDevice;
  /** KOKORO_DEVICE_FALLBACK=cpu: a `cuda` that cannot be used is no failure; undefined: it is. */
  readonly deviceFallback: "cpu" | undefined;
  /** SPEECH_QUEUE_MAX: utterances that may wait while others are spoken; one more gets 503. */
  readonly queueMax: number;
  /** SPEECH_TEXT_MAX_CHARS: longest text of one request; a longer one gets 413. */
  readonly textMaxChars: number;
}

/** The defaults that belong to the wire (lib/protocol/limits.ts), which this folder may not import. */
export interface TtsDefaults {
  readonly port: number;
  readonly textMaxChars: number;
}

/**
 * A queue of this length is spoken by one worker well within the 60 s that SageMaker waits, when an utterance is
 * a sentence or two: longer, and those at its end would be computed for callers who gave up.
 */
const QUEUE_MAX_DEFAULT = 32;

/** @throws {SpeechError} CONFIGURATION that names the variable. */
export function readTtsSettings(env: Environment, defaults: TtsDefaults): TtsSettings {
  return {
    host: stringSetting(env, "HOST", "127.0.0.1"),
    port: integerSetting(env, "PORT", defaults.port, 0, 65_535),
    workers: optionalInteger(env, "SPEECH_WORKERS", 1, 64),
    threadsPerWorker: optionalInteger(env, "SPEECH_THREADS", 1, 256),
    device: choiceSetting(env, "KOKORO_DEVICE", "cpu", SPEECH_DEVICES),
    deviceFallback: env.KOKORO_DEVICE_FALLBACK
      ? choiceSetting(env, "KOKORO_DEVICE_FALLBACK", "cpu", ["cpu"] as const)
      : undefined,
    queueMax: integerSetting(env, "SPEECH_QUEUE_MAX", QUEUE_MAX_DEFAULT, 0, 100_000),
    textMaxChars: integerSetting(env, "SPEECH_TEXT_MAX_CHARS", defaults.textMaxChars, 1, 1_000_000),
  };
}

function optionalInteger(env: Environment, name: string, min: number, max: number): number | undefined {
  return env[name] ? integerSetting(env, name, min, min, max) : undefined;
}
