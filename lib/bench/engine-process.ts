/**
 * Our engine as a process to be measured: one worker, as a container has it. `engine-process.ts MODEL_DIR THREADS VOICE`; it
 * answers {text, windows} with a `Spoken`. `keep` leaves the samples in the answer's file, for who listens (quality).
 */
import { writeFile } from "node:fs/promises";
import { startWorkerSynthesizer } from "../kokoro/worker-synthesizer.ts";
import { SPEECH_FROM, type Spoken } from "./speaker.ts";

export interface EngineQuestion {
  readonly text: string;
  readonly windows: boolean;
  /** Path that the samples are written to, float32 at 24,000 Hz. */
  readonly keep?: string;
}

/** And where the windows were joined: samples from the beginning. */
export type EngineAnswer = Spoken & { readonly joins: readonly number[] };

const [modelDir = "", threads = "1", voice = ""] = process.argv.slice(2);
const NEVER = new AbortController().signal;

const synthesizer = await startWorkerSynthesizer({ modelDir, workers: 1, threadsPerWorker: Number(threads) });
process.on("message", async (question: EngineQuestion) => process.send!(await answer(question)));
process.on("disconnect", () => synthesizer.close());
process.send!({ ready: true });

async function answer({ text, windows, keep }: EngineQuestion): Promise<EngineAnswer> {
  const startedMs = performance.now();
  const segments: Float32Array[] = [];
  const joins: number[] = [];
  let samples = 0;
  let firstMs: number | undefined;
  let phonemesMs: number | null = null;
  for await (const segment of synthesizer.synthesize({ text, voice, speed: 1, windows }, NEVER)) {
    if (firstMs === undefined && segment.samples.some((sample) => Math.abs(sample) >= SPEECH_FROM))
      firstMs = performance.now() - startedMs;
    phonemesMs ??= segment.phonemesMs ?? null;
    if (samples > 0) joins.push(samples);
    samples += segment.samples.length;
    if (keep !== undefined) segments.push(segment.samples);
  }
  const wholeMs = performance.now() - startedMs;
  if (keep !== undefined)
    await writeFile(
      keep,
      new Uint8Array(await new Blob(segments as Float32Array<ArrayBuffer>[]).arrayBuffer()),
    );
  return { wholeMs, firstMs: firstMs ?? wholeMs, samples, phonemesMs, joins };
}
