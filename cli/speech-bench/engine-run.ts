/** Starts the engines, has them speak in turn, and shows the figures with what they were measured on. */
import { availableParallelism } from "node:os";
import { chosenClips } from "../../lib/bench/engine-clips.ts";
import { type EngineReport, engineReport } from "../../lib/bench/engine-report.ts";
import { type Peer, type SetUp, startOurEngine, startPeers } from "../../lib/bench/engine-speakers.ts";
import { runEngineTrial } from "../../lib/bench/engine-trial.ts";
import { describeMachine, describeVersions } from "../../lib/bench/machine.ts";
import { peerWeights } from "../../lib/bench/peer-weights.ts";
import { pythonEnvironment } from "../../lib/bench/python-environment.ts";
import { peakMiB } from "../../lib/bench/resident-memory.ts";
import { readTexts } from "../../lib/bench/speaker-texts.ts";
import type { Summary } from "../../lib/bench/statistics.ts";
import { defaultWorkerPlan } from "../../lib/kokoro/worker-synthesizer.ts";
import { describeProgress, modelDirFinder } from "../model-dir.ts";
import type { Output } from "../output.ts";
import type { CliContext } from "../run.ts";
import { progressBar } from "../status-line.ts";
import { textTable } from "../text-table.ts";

export interface EngineBenchOptions {
  readonly compare: boolean;
  readonly threads?: number;
  readonly rounds: number;
  readonly clips: number;
}

export async function benchEngine(options: EngineBenchOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const modelDir = await modelDirFinder(output)(signal);
  const threads = options.threads ?? defaultWorkerPlan(availableParallelism()).threadsPerWorker;
  const setUp: SetUp = { modelDir, threads, signal };
  const texts = await readTexts(chosenClips(options.clips));
  const peers = options.compare ? await findPeers(setUp, output) : [];
  try {
    const ours = await startOurEngine(setUp);
    try {
      const speakers = [...ours.speakers, ...peers];
      // The first of all requests is one of those whose phonemes are timed.
      const first = await ours.ask({ text: texts[0]!.text, windows: true });
      const measurements = await runEngineTrial({
        speakers,
        texts,
        rounds: options.rounds,
        signal,
        onProgress: (done, total) => output.status(progressBar("Speaking", done, total, "texts")),
      });
      const report = engineReport({
        texts,
        speakers: await Promise.all(
          speakers.map(async ({ name, pid }) => ({ name, peakMiB: await peakMiB(pid) })),
        ),
        rounds: options.rounds,
        measurements,
        phonemesMs: [first, ...measurements].flatMap((spoken) => spoken.phonemesMs ?? []),
      });
      const machine = describeMachine();
      const { startMs } = ours;
      output.result({ engine: { threads, startMs, ...report }, machine, versions: await describeVersions() });
      for (const line of engineTable(report, startMs)) output.line(line);
      output.line();
      output.line(
        `Measured with ${threads} threads on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB.`,
      );
    } finally {
      await ours.close();
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.close()));
  }
}

async function findPeers(setUp: SetUp, output: Output): Promise<Peer[]> {
  const { modelDir, signal } = setUp;
  const onInstall = () => output.status("Installing the Python packages of the peers (once) ...");
  const python = await pythonEnvironment("peers", { signal, onInstall });
  const onProgress = (progress: Parameters<typeof describeProgress>[0]) =>
    output.status(describeProgress(progress));
  const weights = await peerWeights({ modelDir, python, signal, onProgress });
  output.status("Starting the peers ...");
  return await startPeers(setUp, python, weights);
}

export function engineTable(report: EngineReport, startMs: number): string[] {
  const { phonemesMs } = report;
  return [
    ...textTable([
      ["", "RTF", "first sound (ms)", "ours against it", "memory (MiB)", "noise"],
      ...report.speakers.map(({ name, rtf, firstMs, oursAgainstIt, peakMiB: peak, roundSpread }) => [
        name,
        range(rtf, 2),
        range(firstMs, 0),
        range(oursAgainstIt, 2),
        peak === null ? "-" : String(peak),
        report.rounds < 2 || roundSpread === null ? "-" : `${(roundSpread * 100).toFixed(0)} %`,
      ]),
    ]),
    "",
    "Medians over the texts (least-greatest). Against it: time of ours, whole, over its own for the same sounds.",
    "",
    `first sound with windows, share of the whole  ${range(report.firstSoundShare, 2)}`,
    `  of a text of 100 characters                 ${report.firstSoundShareOf100Chars?.toFixed(2) ?? "-"}`,
    `total time with windows, against whole        ${range(report.windowsTotal, 2)}`,
    `phonemes of a text (ms)                       median ${ms(phonemesMs.medianMs)}, p95 ${ms(phonemesMs.p95Ms)}, worst ${ms(phonemesMs.maxMs)} of ${phonemesMs.samples}`,
    `start from prepared files (ms)                ${startMs.toFixed(0)}`,
  ];
}

const ms = (value: number | null): string => value?.toFixed(1) ?? "-";

function range(summary: Summary | null, digits: number): string {
  if (summary === null) return "-";
  const [middle, least, most] = [summary.median, summary.min, summary.max].map((value) =>
    value.toFixed(digits),
  );
  return `${middle} (${least}-${most})`;
}
