/**
 * One whole engine, in one thread: phonemizer, voices and acoustic model, warmed. Text in, pieces of sound out.
 * It blocks its thread while it computes, so it lives in a worker (synthesis-worker.ts).
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { AcousticModel } from "./acoustic-model.ts";
import { Phonemizer } from "./phonemizer.ts";
import { SplitModel } from "./split-model.ts";
import { isPause, silence, toSpokenParts } from "./spoken-parts.ts";
import { readBlend } from "./voice-blend.ts";
import { VoicePack } from "./voice-pack.ts";
import { findVoice } from "./voices.ts";
import { SPOKEN_AT_START, warmUpReading } from "./warm-up.ts";
import { beginSentence, type SentenceInProgress, WindowDecoder } from "./windowed-decoding.ts";
import type { Manner, SpokenPiece, UnspokenRest, WorkerSetup } from "./worker-messages.ts";

/** Names inside a model directory (lib/model writes them). */
const MODEL_FILE = "kokoro.onnx";
const ENCODER_FILE = "encoder.onnx";
const DECODER_FILE = "decoder.onnx";
const VOICES_DIRECTORY = "voices";

/** One window is enough for the model, whose first run is a fifth slower than later ones. */
const WARM_UP_MANNER: Manner = { voice: "af_heart", speed: 1, windows: true, aheadMs: 0 };
/** Half a megabyte each: all 54 voices and some blends. */
const VOICE_PACKS_MAX = 64;
const NOTHING: SpokenPiece = { samples: undefined, inferenceMs: 0, rest: undefined };

/** Either the two parts, or the whole of an export that cannot be split. */
type LoadedModel =
  | { readonly kind: "split"; readonly model: SplitModel; readonly decoder: WindowDecoder }
  | { readonly kind: "whole"; readonly model: AcousticModel };

async function loadModel({ modelDir, threads, device }: WorkerSetup): Promise<LoadedModel> {
  const encoderPath = join(modelDir, ENCODER_FILE);
  const isSplit = await access(encoderPath).then(
    () => true,
    () => false,
  );
  if (!isSplit)
    return { kind: "whole", model: await AcousticModel.load(join(modelDir, MODEL_FILE), threads, device) };
  const model = await SplitModel.load(encoderPath, join(modelDir, DECODER_FILE), threads, device);
  return { kind: "split", model, decoder: new WindowDecoder(model, () => performance.now()) };
}

type Spoken = Pick<SpokenPiece, "samples" | "rest">;

function restOf(pieces: UnspokenRest["pieces"]): UnspokenRest | undefined {
  return pieces.length > 0 ? { sentence: undefined, pieces } : undefined;
}

export class SpeechEngine {
  readonly #phonemizer: Phonemizer;
  readonly #loaded: LoadedModel;
  readonly #modelDir: string;
  /** Read at first use; the last of them are kept. */
  readonly #voicePacks = new Map<string, Promise<VoicePack>>();

  private constructor(phonemizer: Phonemizer, loaded: LoadedModel, modelDir: string) {
    this.#phonemizer = phonemizer;
    this.#loaded = loaded;
    this.#modelDir = modelDir;
  }

  /** Resolves when warm. @throws {SpeechError} WEIGHTS_UNAVAILABLE. */
  static async start(setup: WorkerSetup): Promise<SpeechEngine> {
    const [phonemizer, loaded] = await Promise.all([Phonemizer.load(), loadModel(setup)]);
    const engine = new SpeechEngine(phonemizer, loaded, setup.modelDir);
    await engine.#warmUp();
    return engine;
  }

  async #warmUp(): Promise<void> {
    const voice = findVoice(WARM_UP_MANNER.voice);
    warmUpReading((text) => this.#phonemizer.phonemize(text, voice));
    await this.begin(SPOKEN_AT_START, WARM_UP_MANNER);
  }

  /**
   * Reads the whole text, speaks its first window.
   * @throws {SpeechError} UNKNOWN_VOICE, LANGUAGE_NOT_SUPPORTED, SYNTHESIS_FAILED.
   */
  async begin(text: string, manner: Manner): Promise<SpokenPiece> {
    const startMs = performance.now();
    const voice = findVoice(manner.voice);
    const pieces = toSpokenParts(text, (spans) => this.#phonemizer.phonemizeSpans(spans, voice));
    const phonemesMs = performance.now() - startMs;
    if (pieces.length === 0) return NOTHING;
    return { ...(await this.continue({ sentence: undefined, pieces }, manner)), phonemesMs };
  }

  /** Speaks the next window, or the next piece whole. */
  async continue(rest: UnspokenRest, manner: Manner): Promise<SpokenPiece> {
    const startMs = performance.now();
    const dryMs = startMs + manner.aheadMs;
    const spoken = rest.sentence
      ? await this.#nextWindow(rest.sentence, rest.pieces, dryMs)
      : await this.#nextPiece(rest.pieces, manner, dryMs);
    return { ...spoken, inferenceMs: performance.now() - startMs };
  }

  async #nextPiece(
    pieces: UnspokenRest["pieces"],
    { voice, speed, windows }: Manner,
    dryMs: number,
  ): Promise<Spoken> {
    const [ids = [], ...others] = pieces;
    if (isPause(ids)) return { samples: silence(ids.pauseMs), rest: restOf(others) };
    const style = (await this.#voicePack(findVoice(voice).name)).styleFor(ids.length);
    const rest = restOf(others);
    if (this.#loaded.kind === "whole") {
      return { samples: await this.#loaded.model.speak(ids, style, speed), rest };
    }
    const encoding = await this.#loaded.model.encode(ids, style, speed);
    if (windows) return await this.#nextWindow(beginSentence(encoding), others, dryMs);
    return { samples: await this.#loaded.decoder.decodeWhole(encoding), rest };
  }

  async #nextWindow(
    sentence: SentenceInProgress,
    pieces: UnspokenRest["pieces"],
    dryMs: number,
  ): Promise<Spoken> {
    if (this.#loaded.kind === "whole") throw new TypeError("a whole model has no windows");
    const { samples, next } = await this.#loaded.decoder.decodeNext(
      sentence,
      Math.max(0, dryMs - performance.now()),
    );
    const isLast = next === undefined && pieces.length === 0;
    return { samples, rest: isLast ? undefined : { sentence: next, pieces } };
  }

  #voicePack(name: string): Promise<VoicePack> {
    const known = this.#voicePacks.get(name);
    if (known) return known;
    const reading = this.#readVoicePack(name);
    this.#voicePacks.set(name, reading);
    reading.catch(() => this.#voicePacks.delete(name)); // a file that comes back is found again
    // Callers may name any number of blends.
    if (this.#voicePacks.size > VOICE_PACKS_MAX) {
      this.#voicePacks.delete(this.#voicePacks.keys().next().value!);
    }
    return reading;
  }

  async #readVoicePack(name: string): Promise<VoicePack> {
    const shares = readBlend(name);
    if (shares.length > 1) {
      const parts = shares.map(async (part) => ({
        pack: await this.#voicePack(part.name),
        share: part.share,
      }));
      return VoicePack.blend(await Promise.all(parts));
    }
    return await VoicePack.read(join(this.#modelDir, VOICES_DIRECTORY, `${shares[0]!.name}.bin`));
  }
}
