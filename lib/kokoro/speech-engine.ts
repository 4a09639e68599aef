/**
 * One whole engine, in one thread: phonemizer, voices and acoustic model, warmed. Text in, pieces of sound out.
 * It blocks its thread while it computes, so it lives in a worker (synthesis-worker.ts).
 */
import { join } from "node:path";
import { AcousticModel } from "./acoustic-model.ts";
import { Phonemizer } from "./phonemizer.ts";
import { splitTokens } from "./token-splitter.ts";
import { VoicePack } from "./voice-pack.ts";
import { findVoice } from "./voices.ts";
import type { SpokenPiece, WorkerSetup } from "./worker-messages.ts";

/** Names inside a model directory (lib/model writes them). */
const MODEL_FILE = "kokoro.onnx";
const VOICES_DIRECTORY = "voices";

/**
 * Read and spoken before the first caller waits. Two lengths are enough for the model, whose first run is a
 * fifth slower than later ones; eSpeak takes 20 ms for its first sentences and 1 ms once its code is hot.
 */
const SPOKEN_AT_START = ["Yes.", "The first sentence is heard."] as const;
const READ_AT_START = [
  ...SPOKEN_AT_START,
  "On 3 May, at 10:30, it was 21.5 degrees; nobody (as far as we know) complained!",
] as const;
const READINGS_AT_START = 20;
const WARM_UP_VOICE = "af_heart";

export class SpeechEngine {
  readonly #phonemizer: Phonemizer;
  readonly #acousticModel: AcousticModel;
  readonly #modelDir: string;
  /** Read at first use and kept: half a megabyte each. */
  readonly #voicePacks = new Map<string, Promise<VoicePack>>();

  private constructor(phonemizer: Phonemizer, acousticModel: AcousticModel, modelDir: string) {
    this.#phonemizer = phonemizer;
    this.#acousticModel = acousticModel;
    this.#modelDir = modelDir;
  }

  /** Resolves when warm. @throws {SpeechError} WEIGHTS_UNAVAILABLE. */
  static async start(setup: WorkerSetup): Promise<SpeechEngine> {
    const [phonemizer, acousticModel] = await Promise.all([
      Phonemizer.load(),
      AcousticModel.load(join(setup.modelDir, MODEL_FILE), setup.threads),
    ]);
    const engine = new SpeechEngine(phonemizer, acousticModel, setup.modelDir);
    await engine.#warmUp();
    return engine;
  }

  async #warmUp(): Promise<void> {
    const voice = findVoice(WARM_UP_VOICE);
    for (let round = 0; round < READINGS_AT_START; round++) {
      for (const text of READ_AT_START) this.#phonemizer.phonemize(text, voice);
    }
    for (const text of SPOKEN_AT_START) await this.begin(text, WARM_UP_VOICE, 1);
  }

  /**
   * Reads the whole text, speaks the first piece (all of it, unless it is longer than the model takes).
   * @throws {SpeechError} UNKNOWN_VOICE, LANGUAGE_NOT_SUPPORTED, SYNTHESIS_FAILED.
   */
  async begin(text: string, voiceName: string, speed: number): Promise<SpokenPiece> {
    const voice = findVoice(voiceName);
    const [first, ...remaining] = splitTokens(this.#phonemizer.phonemize(text, voice));
    if (first === undefined) return { samples: undefined, inferenceMs: 0, remaining: [] };
    return { ...(await this.continue(first, voiceName, speed)), remaining };
  }

  async continue(ids: readonly number[], voiceName: string, speed: number): Promise<SpokenPiece> {
    const pack = await this.#voicePack(findVoice(voiceName).name);
    const start = performance.now();
    const samples = await this.#acousticModel.speak(ids, pack.styleFor(ids.length), speed);
    return { samples, inferenceMs: performance.now() - start, remaining: [] };
  }

  #voicePack(name: string): Promise<VoicePack> {
    const known = this.#voicePacks.get(name);
    if (known) return known;
    const reading = VoicePack.read(join(this.#modelDir, VOICES_DIRECTORY, `${name}.bin`));
    this.#voicePacks.set(name, reading);
    reading.catch(() => this.#voicePacks.delete(name)); // a file that comes back is found again
    return reading;
  }
}
