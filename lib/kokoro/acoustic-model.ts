/**
 * Kokoro in one piece, for exports that cannot be split (split-model.ts is the rule): token ids and a style in, a
 * waveform out, by ONNX Runtime. One session; one call at a time,
 * since it computes on the calling thread and its own (lib/kokoro/synthesis-worker.ts keeps it off the event loop).
 *
 * Two exports of the same model are in use. Their inputs are `tokens` or `input_ids`, `style`, `speed`, their
 * output `audio` or `waveform`: they are told apart by type and shape, not by name.
 */
import { type InferenceSession, Tensor } from "onnxruntime-node";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";
import { clippedCopy, loadSession } from "./onnx-session.ts";
import { PAD_ID, TOKENS_MAX } from "./vocabulary.ts";
import { STYLE_LENGTH } from "./voice-pack.ts";

export class AcousticModel {
  readonly #session: InferenceSession;
  readonly #names: TensorNames;

  private constructor(session: InferenceSession) {
    this.#session = session;
    this.#names = tensorNames(session);
  }

  /** @throws {SpeechError} WEIGHTS_UNAVAILABLE when the file is no Kokoro graph that ONNX Runtime can load. */
  static async load(path: string, threads: number, device?: SpeechDevice): Promise<AcousticModel> {
    return new AcousticModel(await loadSession(path, threads, device));
  }

  /**
   * @param ids without pads, 1-510.
   * @param style float32[256].
   * @param speed 1 = natural; durations are divided by it.
   * @returns float32[n], a copy that the caller owns, 24,000 Hz, clipped to [-1, 1].
   */
  async speak(
    ids: readonly number[],
    style: Float32Array,
    speed: number,
  ): Promise<Float32Array<ArrayBuffer>> {
    if (ids.length < 1 || ids.length > TOKENS_MAX) {
      throw new RangeError(`a model input holds 1-${TOKENS_MAX} ids, got ${ids.length}`);
    }
    const tokens = BigInt64Array.from([PAD_ID, ...ids, PAD_ID], BigInt);
    const inputs = {
      [this.#names.tokens]: new Tensor("int64", tokens, [1, tokens.length]),
      [this.#names.style]: new Tensor("float32", style, [1, STYLE_LENGTH]),
      [this.#names.speed]: new Tensor("float32", Float32Array.of(speed), [1]),
    };
    const outputs = await this.#session.run(inputs, [this.#names.waveform]);
    const waveform = outputs[this.#names.waveform]!;
    try {
      return clippedCopy((await waveform.getData()) as Float32Array);
    } finally {
      // Native memory that the garbage collector does not feel the weight of.
      for (const tensor of [...Object.values(inputs), waveform]) tensor.dispose();
    }
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

interface TensorNames {
  readonly tokens: string;
  readonly style: string;
  readonly speed: string;
  readonly waveform: string;
}

function tensorNames(session: InferenceSession): TensorNames {
  const inputs = session.inputMetadata.flatMap((input) => (input.isTensor ? [input] : []));
  const tokens = inputs.find((input) => input.type === "int64");
  const style = inputs.find((input) => input.type === "float32" && input.shape.at(-1) === STYLE_LENGTH);
  const speed = inputs.find((input) => input !== tokens && input !== style);
  // Some exports give the durations too; the waveform is first in all of them.
  const waveform = session.outputNames[0];
  if (inputs.length !== 3 || !tokens || !style || !speed || waveform === undefined) {
    throw new SpeechError(
      "WEIGHTS_UNAVAILABLE",
      `the model file has inputs ${session.inputNames.join(", ")}; Kokoro has token ids, a style and a speed`,
    );
  }
  return { tokens: tokens.name, style: style.name, speed: speed.name, waveform };
}
