/** Starts the container as the demo does, measures it, and shows the figures with what they were measured on. */
import { type ContainerReport, type Latency, runContainerTrial } from "../../lib/bench/container-trial.ts";
import { describeMachine, describeVersions } from "../../lib/bench/machine.ts";
import type { Summary } from "../../lib/bench/statistics.ts";
import { startLocalSystem } from "../../lib/local/local-system.ts";
import { modelDirFinder } from "../model-dir.ts";
import type { CliContext } from "../run.ts";

export interface ContainerBenchOptions {
  readonly sessions: number;
  readonly utterances: number;
}

export async function benchContainer(options: ContainerBenchOptions, context: CliContext): Promise<void> {
  const { output, env, signal } = context;
  output.status("Starting the TTS container ...");
  const system = await startLocalSystem({ env, signal, modelDir: modelDirFinder(output), tts: { port: 0 } });
  try {
    const report = await runContainerTrial({
      url: system.urls.tts!,
      ...(system.ttsPid !== undefined && { pid: system.ttsPid }),
      ...options,
      signal: AbortSignal.any([signal, system.failure]),
      onPhase: (phase) => output.status(`Measuring: ${phase} ...`),
    });
    const machine = describeMachine();
    output.result({ container: report, machine, versions: await describeVersions() });
    for (const line of containerTable(report)) output.line(line);
    output.line();
    output.line(`Measured on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB.`);
  } catch (error) {
    throw await system.explain(error);
  } finally {
    await system.stop();
  }
}

export function containerTable({ rtf, paragraph, busy, residentMiB }: ContainerReport): string[] {
  const rows: [string, string][] = [
    ["RTF, whole sentences", range(rtf, 2)],
    ["paragraph: first byte (ms)", range(paragraph.firstByteMs, 0)],
    ["paragraph: last byte (ms)", range(paragraph.wholeMs, 0)],
    ["/ping while busy (ms)", latencyCell(busy.ping)],
    ["accept while busy (ms)", latencyCell(busy.accept)],
    ...residentMiB.map(({ utterances, residentMiB: mib }): [string, string] => [
      `memory after ${utterances} (MiB)`,
      mib === null ? "-" : String(mib),
    ]),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`);
}

function range(summary: Summary | null, digits: number): string {
  if (summary === null) return "-";
  const [middle, least, most] = [summary.median, summary.min, summary.max].map((value) =>
    value.toFixed(digits),
  );
  return `${middle} (${least}-${most})`;
}

function latencyCell({ medianMs, p95Ms, maxMs, samples }: Latency): string {
  const [middle, late, worst] = [medianMs, p95Ms, maxMs].map((value) => value?.toFixed(1) ?? "-");
  return `median ${middle}, p95 ${late}, worst ${worst} of ${samples}`;
}
