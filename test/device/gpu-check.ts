/**
 * On a machine with a GPU: `node test/device/gpu-check.ts MODEL_DIR [cuda|cpu] [seconds a load]`. Does the GPU speak as the CPU does, how
 * soon, and how much at once? One JSON object on stdout; exit code 1 when the sounds differ. 5 minutes with the defaults; `cpu 2` tries
 * the script itself where there is no GPU.
 */
import { join } from "node:path";
import { ENGINE_CLIPS } from "../../lib/bench/engine-clips.ts";
import { readTexts } from "../../lib/bench/speaker-texts.ts";
import type { SpeechDevice } from "../../lib/config/speech-catalog.ts";
import { computeOnce } from "../../lib/kokoro/compute-device.ts";
import type { Encoding } from "../../lib/kokoro/encoding.ts";
import { SplitModel } from "../../lib/kokoro/split-model.ts";
import type { Synthesizer } from "../../lib/kokoro/synthesizer.ts";
import { VoicePack } from "../../lib/kokoro/voice-pack.ts";
import { startWorkerSynthesizer } from "../../lib/kokoro/worker-synthesizer.ts";

const [modelDir = "", device = "cuda", loadSeconds = "20"] = process.argv.slice(2);
const isTrial = Number(loadSeconds) < 10;
const CLIPS = isTrial ? ENGINE_CLIPS.slice(0, 2) : ENGINE_CLIPS;
const SESSIONS = isTrial ? [1, 2] : [1, 5, 10, 25, 50];
const VOICE = "af_heart";
const SAMPLE_RATE_HZ = 24_000;
/** The decoder's noise differs from run to run; what a device may change is held against what two runs on the CPU change. */
const CORRELATION_LEEWAY = 0.05;

await computeOnce(device as SpeechDevice);
const correctness = await compareWithCpu();
const startedMs = performance.now();
const synthesizer = await startWorkerSynthesizer({ modelDir, workers: 1, device: device as SpeechDevice });
const startMs = Math.round(performance.now() - startedMs);
const latency = await latencyByLength(synthesizer);
const throughput = [];
for (const sessions of SESSIONS) throughput.push(await load(synthesizer, sessions));
await synthesizer.close();
process.stdout.write(`${JSON.stringify({ device, startMs, correctness, latency, throughput }, null, 2)}\n`);
process.exitCode = correctness.every(({ isAlike }) => isAlike) ? 0 : 1;

async function compareWithCpu() {
  const parts = [join(modelDir, "encoder.onnx"), join(modelDir, "decoder.onnx")] as const;
  const cpu = await SplitModel.load(...parts, 4);
  const other = await SplitModel.load(...parts, 4, device as SpeechDevice);
  const pack = await VoicePack.read(join(modelDir, "voices", `${VOICE}.bin`));
  const found = [];
  for (const { text, ids } of await readTexts(CLIPS.filter((_, index) => index % 4 === 0))) {
    const style = pack.styleFor(ids.length);
    const [expected, actual] = [await cpu.encode(ids, style, 1), await other.encode(ids, style, 1)];
    const whole = (model: SplitModel, encoding: Encoding) => model.decode(encoding, 0, encoding.frames);
    const reference = await whole(cpu, expected);
    const again = correlation(reference, await whole(cpu, expected));
    const across = correlation(reference, await whole(other, expected));
    const words = text.split(" ").length;
    const isAlike = expected.frames === actual.frames && across >= again - CORRELATION_LEEWAY;
    found.push({ words, frames: [expected.frames, actual.frames], again, across, isAlike });
  }
  await cpu.close();
  await other.close();
  return found;
}

async function latencyByLength(engine: Synthesizer) {
  const found = [];
  for (const text of CLIPS) {
    await speak(engine, text); // a length met for the first time is planned for first
    const runs = [await speak(engine, text), await speak(engine, text), await speak(engine, text)];
    const middle = (value: (run: Heard) => number) => runs.map(value).sort((a, b) => a - b)[1]!;
    const { seconds } = runs[0]!;
    found.push({
      words: text.split(" ").length,
      seconds,
      firstMs: middle((run) => run.firstMs),
      wholeMs: middle((run) => run.wholeMs),
    });
  }
  return found;
}

/** All sessions speak without pause, each its own row of texts. */
async function load(engine: Synthesizer, sessions: number) {
  const beganMs = performance.now();
  const untilMs = beganMs + Number(loadSeconds) * 1000;
  const heard: Heard[] = [];
  const session = async (number: number) => {
    for (let turn = number; performance.now() < untilMs; turn++) {
      heard.push(await speak(engine, CLIPS[(turn * 5) % Math.min(18, CLIPS.length)]!));
    }
  };
  await Promise.all(Array.from({ length: sessions }, (_, number) => session(number)));
  const tookSeconds = (performance.now() - beganMs) / 1000;
  const firstMs = heard.map((one) => one.firstMs).sort((a, b) => a - b);
  return {
    sessions,
    utterances: heard.length,
    /** Sound a second: the listeners whose speech keeps up. */
    speechSecondsPerSecond: heard.reduce((sum, one) => sum + one.seconds, 0) / tookSeconds,
    firstMsMedian: firstMs[firstMs.length >> 1],
    firstMsP95: firstMs[Math.ceil(0.95 * firstMs.length) - 1],
  };
}

interface Heard {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly seconds: number;
}

async function speak(engine: Synthesizer, text: string): Promise<Heard> {
  const fromMs = performance.now();
  let firstMs: number | undefined;
  let samples = 0;
  const request = { text, voice: VOICE, speed: 1 };
  for await (const segment of engine.synthesize(request, new AbortController().signal)) {
    firstMs ??= performance.now() - fromMs;
    samples += segment.samples.length;
  }
  const wholeMs = performance.now() - fromMs;
  return { firstMs: firstMs ?? wholeMs, wholeMs, seconds: samples / SAMPLE_RATE_HZ };
}

function correlation(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    ab += a[index]! * b[index]!;
    aa += a[index]! ** 2;
    bb += b[index]! ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}
