/** Starts engine and listener, and shows what windows cost in quality, with what it was measured on. */
import { availableParallelism } from "node:os";
import { chosenClips } from "../../lib/bench/engine-clips.ts";
import { startOurEngine } from "../../lib/bench/engine-speakers.ts";
import { describeMachine, describeVersions } from "../../lib/bench/machine.ts";
import { pythonEnvironment } from "../../lib/bench/python-environment.ts";
import { type Listened, type QualityReport, runQualityTrial } from "../../lib/bench/quality-trial.ts";
import { defaultWorkerPlan } from "../../lib/kokoro/worker-synthesizer.ts";
import { modelDirFinder } from "../model-dir.ts";
import type { CliContext } from "../run.ts";
import { progressBar } from "../status-line.ts";
import { textTable } from "../text-table.ts";

export interface QualityBenchOptions {
  readonly clips: number;
}

export async function benchQuality(options: QualityBenchOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const modelDir = await modelDirFinder(output)(signal);
  const onInstall = () => output.status("Installing the Python packages of the listener (once) ...");
  const python = await pythonEnvironment("listeners", { signal, onInstall });
  const threads = defaultWorkerPlan(availableParallelism()).threadsPerWorker;
  output.status("Starting the engine ...");
  const engine = await startOurEngine({ modelDir, threads, signal });
  try {
    const report = await runQualityTrial({
      engine,
      python,
      texts: chosenClips(options.clips),
      signal,
      onProgress: (done, total) => output.status(progressBar("Listening", done, total, "texts")),
    });
    const machine = describeMachine();
    output.result({ quality: report, machine, versions: await describeVersions() });
    for (const line of qualityTable(report)) output.line(line);
    output.line();
    output.line(`Measured on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB.`);
  } finally {
    await engine.close();
  }
}

const NAMES: readonly (readonly [keyof Listened, string])[] = [
  ["wer", "word error rate"],
  ["dnsmos", "DNSMOS, overall"],
  ["plcmos", "PLCMOS"],
  ["levelDb", "level (dB)"],
];

export function qualityTable({ whole, windows, difference, joinStep, clips }: QualityReport): string[] {
  const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(3)}`;
  return [
    ...textTable([
      ["", "whole", "windows", "difference (95 % interval)"],
      ...NAMES.map(([figure, name]) => {
        const [one, other, by] = [whole[figure], windows[figure], difference[figure]];
        return [
          name,
          one?.median.toFixed(2) ?? "-",
          other?.median.toFixed(2) ?? "-",
          by === null ? "-" : `${signed(by.mean)} (${signed(by.low)} to ${signed(by.high)})`,
        ];
      }),
    ]),
    "",
    `Medians of ${clips.length} texts; the difference is windows less whole, the mean of the pairs.`,
    joinStep === null
      ? "Nothing was joined."
      : `Largest step at a join, over the largest in the whole: ${joinStep.median.toFixed(2)} (${joinStep.min.toFixed(2)}-${joinStep.max.toFixed(2)}); above 1 would be a click.`,
  ];
}
