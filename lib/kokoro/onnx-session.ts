/** How this program loads a graph into ONNX Runtime, and takes sound out of it. */
import { InferenceSession } from "onnxruntime-node";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";

/**
 * - Memory pattern off: it plans an arena for each new input shape, and every sentence has its own shape.
 *   Measured over 20 sentences, 2 threads: 750 MB at most with it off, 935 MB with it on, the same speed.
 * - The arena stays on: without it the peak was 1,895 MB and the time 1.2 times.
 * - No spinning: a thread that waits in a loop takes the core from the thread that answers /ping.
 */
function sessionOptions(threads: number, device: SpeechDevice): InferenceSession.SessionOptions {
  return {
    // What CUDA has no kernel for, ONNX Runtime computes on the CPU by itself.
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    enableCpuMemArena: true,
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  };
}

/** @throws {SpeechError} WEIGHTS_UNAVAILABLE when the file is no graph that ONNX Runtime can load. */
export async function loadSession(
  path: string,
  threads: number,
  device: SpeechDevice = "cpu",
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, sessionOptions(threads, device));
  } catch (cause) {
    const message = "ONNX Runtime cannot load the model file; fetch it again";
    throw new SpeechError("WEIGHTS_UNAVAILABLE", message, { cause });
  }
}

/** One pass: copies, clips, and refuses numbers that would be a loud click in the listener's ear. */
export function clippedCopy(waveform: Float32Array): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(waveform.length);
  for (let index = 0; index < waveform.length; index++) {
    const sample = waveform[index]!;
    if (!Number.isFinite(sample))
      throw new SpeechError("SYNTHESIS_FAILED", "the model computed no valid sound");
    samples[index] = Math.min(1, Math.max(-1, sample));
  }
  return samples;
}
