/**
 * Whether the device that was asked for can compute: found out with a graph of one node, before a model is loaded onto
 * it. The CPU always can.
 */
import { InferenceSession } from "onnxruntime-node";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";

export interface ChosenDevice {
  readonly device: SpeechDevice;
  /** For the log. */
  readonly reason: string;
}

/**
 * An ONNX model (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto) that hands one float through: y = Identity(x).
 * ModelProto { ir_version 8, graph { node, name "g", input x, output y }, opset_import { version 13 } }.
 */
const IDENTITY_MODEL = Buffer.from(
  "0808" +
    "3a37" +
    "0a10" +
    "0a0178" +
    "120179" +
    "22084964656e74697479" +
    "120167" +
    "5a0f" +
    "0a0178" +
    "120a" +
    "0a08" +
    "0801" +
    "1204" +
    "0a02" +
    "0801" +
    "620f" +
    "0a0179" +
    "120a" +
    "0a08" +
    "0801" +
    "1204" +
    "0a02" +
    "0801" +
    "4202100d",
  "hex",
);

/**
 * @param fallback what computes instead; undefined: a device that cannot compute is an error.
 * @throws {SpeechError} CONFIGURATION that says what to do.
 */
export async function chooseDevice(
  asked: SpeechDevice,
  fallback: "cpu" | undefined,
  probe: (device: SpeechDevice) => Promise<void> = computeOnce,
): Promise<ChosenDevice> {
  if (asked === "cpu") return { device: "cpu", reason: "KOKORO_DEVICE" };
  try {
    await probe(asked);
    return { device: asked, reason: "KOKORO_DEVICE, and it computes" };
  } catch (cause) {
    const reason = firstSentence(cause);
    if (fallback !== undefined) {
      return { device: fallback, reason: `KOKORO_DEVICE_FALLBACK, for ${asked} cannot be used: ${reason}` };
    }
    throw new SpeechError(
      "CONFIGURATION",
      `KOKORO_DEVICE is ${asked}, which ONNX Runtime cannot use here: ${reason}; run the image's variant for CUDA on ` +
        "an instance with an NVIDIA GPU and driver 580 or newer, or set KOKORO_DEVICE=cpu, or " +
        "KOKORO_DEVICE_FALLBACK=cpu to go on without",
      { cause },
    );
  }
}

/** Loading the provider, the driver and a device: all that fails where there is none fails here. */
export async function computeOnce(device: SpeechDevice): Promise<void> {
  const session = await InferenceSession.create(IDENTITY_MODEL, { executionProviders: [device] });
  await session.release();
}

/** ONNX Runtime's message for a failed call of CUDA begins with its C++ signature and goes on for a page. */
function firstSentence(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const failure = /CUDA failure[^;\n]*/.exec(text)?.[0] ?? text;
  return failure.split("\n")[0]!.trim().slice(0, 200);
}
