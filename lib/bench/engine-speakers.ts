/** Starts the engines that `speech-bench engine` measures: ours as one process in two ways, and the peers. */
import { join } from "node:path";
import { VOICE_DEFAULT } from "../protocol/limits.ts";
import { BenchProcess } from "./bench-process.ts";
import type { EngineAnswer, EngineQuestion } from "./engine-process.ts";
import { OURS_WHOLE, OURS_WINDOWS } from "./engine-report.ts";
import type { PeerWeights } from "./peer-weights.ts";
import { type PythonEnvironment, pythonScript } from "./python-environment.ts";
import type { Speaker } from "./speaker.ts";

export interface OurEngine {
  ask(question: EngineQuestion): Promise<EngineAnswer>;
  readonly speakers: readonly Speaker[];
  /** Start from prepared files, until it is warm. */
  readonly startMs: number;
  close(): Promise<void>;
}

export interface SetUp {
  readonly modelDir: string;
  readonly threads: number;
  readonly signal: AbortSignal;
}

export async function startOurEngine({ modelDir, threads, signal }: SetUp): Promise<OurEngine> {
  const startedMs = performance.now();
  const module = new URL("./engine-process.ts", import.meta.url);
  const args = [modelDir, String(threads), VOICE_DEFAULT];
  const child = await BenchProcess.fork("our engine", module, args, signal);
  const ask = (question: EngineQuestion) => child.ask<EngineAnswer>(question);
  const speaker = (name: string, windows: boolean): Speaker => ({
    name,
    pid: child.pid,
    speak: ({ text }) => ask({ text, windows }),
  });
  return {
    ask,
    speakers: [speaker(OURS_WHOLE, false), speaker(OURS_WINDOWS, true)],
    startMs: performance.now() - startedMs,
    close: () => child.close(),
  };
}

export interface Peer extends Speaker {
  close(): Promise<void>;
}

/** In the order of the report. */
export async function startPeers(
  { modelDir, threads, signal }: SetUp,
  python: PythonEnvironment,
  weights: PeerWeights,
): Promise<Peer[]> {
  const voice = join(modelDir, "voices", `${VOICE_DEFAULT}.bin`);
  const plain = (graph: string, ...operators: string[]) => [
    pythonScript("peer_onnxruntime.py"),
    ...[graph, voice, String(threads), ...operators],
  ];
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ["kokoro-pi", plain(weights.kokoroPi.graph, weights.kokoroPi.operators)],
    ["kokoro-onnx, fp32", [pythonScript("peer_kokoro_onnx.py"), weights.fp32, voice, String(threads)]],
    ["onnxruntime, fp32", plain(weights.fp32)],
    ["onnxruntime, int8", plain(weights.int8)],
  ];
  const peers: Peer[] = [];
  try {
    for (const [name, args] of commands) peers.push(await startPeer(name, python, args, signal));
  } catch (error) {
    await Promise.all(peers.map((peer) => peer.close()));
    throw error;
  }
  return peers;
}

async function startPeer(
  name: string,
  python: PythonEnvironment,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Peer> {
  const child = await BenchProcess.python(name, python, args, signal);
  return {
    name,
    pid: child.pid,
    speak: async ({ ids, phonemes }) => {
      const answer = await child.ask<{ whole_ms: number; samples: number }>({ ids, phonemes });
      const { whole_ms: wholeMs, samples } = answer;
      return { wholeMs, firstMs: wholeMs, samples, phonemesMs: null };
    },
    close: () => child.close(),
  };
}
