/**
 * Holds a rewritten decoder against the one it was made from: both speak the same short text, and the waveforms must
 * be alike to -60 dB, which is below what 16-bit listening reveals of speech. What differs more is not used.
 */

import type { ModelProto, NodeProto } from "onnx-buf";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { createFloatAttribute } from "./onnx-node.ts";

/** Ratio of the signal to what the rewrite changed in it. */
export const VERIFIED_SNR_DB = 60;

/** "Hello world.", by the vocabulary of the model, with the pads that every input has. */
const TOKENS = [0, 50, 83, 54, 156, 57, 135, 16, 65, 156, 87, 158, 54, 46, 4, 0];

export type DecoderInputs = Readonly<Record<string, Tensor>>;

/** What an encoder makes of the text; `style` is a row of a voice. */
export async function encodeSample(encoderPath: string, style: Float32Array): Promise<DecoderInputs> {
  return await withSession(encoderPath, async (session) => {
    const { durations: _, ...inputs } = await session.run({
      tokens: new Tensor("int64", BigInt64Array.from(TOKENS, BigInt), [1, TOKENS.length]),
      style: new Tensor("float32", style, [1, style.length]),
      speed: new Tensor("float32", Float32Array.of(1), [1]),
    });
    return inputs;
  });
}

export async function decodeSample(decoderPath: string, inputs: DecoderInputs): Promise<Float32Array> {
  return await withSession(decoderPath, async (session) => {
    const [waveform] = Object.values(await session.run(inputs));
    return Float32Array.from(waveform!.data as Float32Array);
  });
}

/** In decibels; -Infinity where lengths differ or a number is none. */
export function snrDb(expected: Float32Array, actual: Float32Array): number {
  if (expected.length !== actual.length) return Number.NEGATIVE_INFINITY;
  let signal = 0;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    signal += expected[index]! ** 2;
    difference += (expected[index]! - actual[index]!) ** 2;
  }
  if (!Number.isFinite(signal) || !Number.isFinite(difference)) return Number.NEGATIVE_INFINITY;
  return difference === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(signal / difference);
}

export function isRandom(node: NodeProto): boolean {
  return (node.opType ?? "").startsWith("Random");
}

/** The same graph whose noise is the same in each session: only so can two waveforms be compared. */
export function withFixedNoise(model: ModelProto): ModelProto {
  const graph = model.graph!;
  if (!graph.node.some(isRandom)) return model;
  const seeded = (node: NodeProto): NodeProto => ({
    ...node,
    attribute: [
      ...node.attribute.filter((attribute) => attribute.name !== "seed"),
      createFloatAttribute("seed", 1),
    ],
  });
  return {
    ...model,
    graph: { ...graph, node: graph.node.map((node) => (isRandom(node) ? seeded(node) : node)) },
  };
}

async function withSession<Result>(
  path: string,
  use: (session: InferenceSession) => Promise<Result>,
): Promise<Result> {
  const session = await InferenceSession.create(path, { logSeverityLevel: 3 });
  try {
    return await use(session);
  } finally {
    await session.release();
  }
}
