/**
 * Kokoro in two parts, by ONNX Runtime: the encoder reads a sentence once, the decoder makes sound of as many of its
 * frames as are wanted. One call at a time; it computes on the calling thread and its own.
 */
import { type InferenceSession, Tensor } from "onnxruntime-node";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";
import { type Encoding, FRAME_SAMPLES, featuresBetween, pitchBetween } from "./encoding.ts";
import { clippedCopy, loadSession } from "./onnx-session.ts";
import { PAD_ID, TOKENS_MAX } from "./vocabulary.ts";
import { STYLE_LENGTH } from "./voice-pack.ts";

/** The first pad lasts until the first sound is at its loudest; the sound begins about this much earlier. */
const ONSET_FRAMES = 2;

export class SplitModel {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;

  private constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
  }

  /** @throws {SpeechError} WEIGHTS_UNAVAILABLE when a file is no part of Kokoro that ONNX Runtime can load. */
  static async load(
    encoderPath: string,
    decoderPath: string,
    threads: number,
    device?: SpeechDevice,
  ): Promise<SplitModel> {
    const encoder = await loadSession(encoderPath, threads, device);
    const decoder = await loadSession(decoderPath, threads, device);
    requireNames(encoder.inputNames, ["tokens", "style", "speed"]);
    requireNames(encoder.outputNames, ["features", "pitch", "energy", "timbre", "durations"]);
    requireNames(decoder.inputNames, ["features", "pitch", "energy", "timbre"]);
    requireNames(decoder.outputNames, ["waveform"]);
    return new SplitModel(encoder, decoder);
  }

  /**
   * @param ids without pads, 1-510.
   * @param style float32[256].
   * @param speed 1 = natural; durations are divided by it.
   */
  async encode(ids: readonly number[], style: Float32Array, speed: number): Promise<Encoding> {
    if (ids.length < 1 || ids.length > TOKENS_MAX) {
      throw new RangeError(`a model input holds 1-${TOKENS_MAX} ids, got ${ids.length}`);
    }
    const tokens = BigInt64Array.from([PAD_ID, ...ids, PAD_ID], BigInt);
    const inputs = {
      tokens: new Tensor("int64", tokens, [1, tokens.length]),
      style: new Tensor("float32", style, [1, STYLE_LENGTH]),
      speed: new Tensor("float32", Float32Array.of(speed), [1]),
    };
    const outputs = await this.#encoder.run(inputs);
    // Copies: the tensors' memory is ONNX Runtime's, which may not pass between threads.
    const copyOf = (name: string) => Float32Array.from(outputs[name]!.data as Float32Array);
    try {
      const pitch = copyOf("pitch");
      const durations = copyOf("durations");
      return {
        frames: pitch.length / 2,
        features: copyOf("features"),
        pitch,
        energy: copyOf("energy"),
        timbre: copyOf("timbre"),
        leadFrames: Math.max(0, Math.round(durations[0] ?? 0) - ONSET_FRAMES),
      };
    } finally {
      // Native memory that the garbage collector does not feel the weight of.
      for (const tensor of [...Object.values(inputs), ...Object.values(outputs)]) tensor.dispose();
    }
  }

  /**
   * @param contextFrames of those in front that are not heard.
   * @returns float32[(to - from) * 600] that the caller owns, 24,000 Hz, clipped to [-1, 1].
   */
  async decode(
    encoding: Encoding,
    from: number,
    to: number,
    contextFrames = 0,
  ): Promise<Float32Array<ArrayBuffer>> {
    const frames = to - from;
    const features = featuresBetween(encoding, from, to);
    const inputs = {
      features: new Tensor("float32", features, [1, features.length / frames, frames]),
      pitch: new Tensor("float32", pitchBetween(encoding, from, to, contextFrames), [1, 2 * frames]),
      energy: new Tensor("float32", encoding.energy.slice(2 * from, 2 * to), [1, 2 * frames]),
      timbre: new Tensor("float32", encoding.timbre, [1, encoding.timbre.length]),
    };
    const { waveform } = await this.#decoder.run(inputs);
    try {
      const samples = clippedCopy(waveform!.data as Float32Array);
      if (samples.length !== frames * FRAME_SAMPLES) {
        throw new SpeechError(
          "SYNTHESIS_FAILED",
          "the model computed a sound of another length than planned",
        );
      }
      return samples;
    } finally {
      for (const tensor of [...Object.values(inputs), waveform!]) tensor.dispose();
    }
  }

  async close(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }
}

function requireNames(actual: readonly string[], expected: readonly string[]): void {
  if (expected.every((name) => actual.includes(name))) return;
  throw new SpeechError(
    "WEIGHTS_UNAVAILABLE",
    `a part of the model has ${actual.join(", ")} where ${expected.join(", ")} are needed; fetch it again`,
  );
}
