/**
 * The demo from start to end: check what was asked for, start what is missing, compare the modes, write the files,
 * show what was found. Everything that could fail without the model fails before the model starts.
 */
import { type ComparedTurn, compareModes } from "../../lib/bench/comparison.ts";
import { describeMachine, describeVersions } from "../../lib/bench/machine.ts";
import { buildReport, type ComparisonReport, summaryOf } from "../../lib/bench/report.ts";
import type { Trial, TrialListener } from "../../lib/bench/trial.ts";
import { findVoice } from "../../lib/kokoro/voices.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import type { CliContext } from "../run.ts";
import { type AgentSourceOptions, openAgent } from "./agent-source.ts";
import { comparisonTable, speedupSentence } from "./comparison-table.ts";
import { DemoFiles } from "./demo-files.ts";
import { DemoProgress } from "./demo-progress.ts";
import { timeline } from "./timeline.ts";

export const DEMO_PROMPT = "Why does a voice agent that streams feel faster?";

export interface DemoOptions extends AgentSourceOptions {
  readonly prompt: string;
  readonly voice: string;
  readonly speed: number;
  readonly modes: readonly AgentMode[];
  readonly runs: number;
  readonly out: string;
}

export async function runDemo(options: DemoOptions, context: CliContext): Promise<void> {
  const { output } = context;
  findVoice(options.voice);
  const startedAt = new Date().toISOString();
  const files = await DemoFiles.open(options.out, options.modes);
  try {
    await using agent = await openAgent(options, context);
    const progress = new DemoProgress(output, options);
    progress.begin(agent.description);
    const trials = await compareModes({
      ask: agent.ask,
      prompt: options.prompt,
      voice: options.voice,
      speed: options.speed,
      ...(options.speechEndpoint !== undefined && { endpoint: options.speechEndpoint }),
      modes: options.modes,
      runs: options.runs,
      signal: agent.signal,
      listen: (turn) => listenTo(turn, files, progress),
      onTrial: (turn: ComparedTurn, trial: Trial) => progress.finished(turn, trial),
    });
    const report = buildReport(trials, options.modes, {
      startedAt,
      setup: {
        agent: options.endpointUrl === undefined ? "local" : "remote",
        languageModel: agent.languageModel,
        speech: agent.speech,
        voice: options.voice,
        speed: options.speed,
        promptChars: options.prompt.length,
        runs: options.runs,
      },
      files: files.names,
      machine: describeMachine(),
      versions: await describeVersions(),
    });
    await files.finish(report);
    output.result(summaryOf(report, files.paths));
    for (const line of describeResult(report, files, output.columns)) output.line(line);
  } finally {
    await files.discard();
  }
}

/** The first timed run of each mode is kept as sound. */
function listenTo(turn: ComparedTurn, files: DemoFiles, progress: DemoProgress): TrialListener {
  return {
    onEvent: progress.watch(turn),
    ...(turn.run === 1 && {
      onAudio: (pcm: Uint8Array, sampleRateHz: number) => files.write(turn.mode, pcm, sampleRateHz),
    }),
  };
}

function describeResult(report: ComparisonReport, files: DemoFiles, columns: number): string[] {
  const turns = Object.entries(report.modes).map(([name, mode]) => ({
    name,
    events: mode.runs[0]!.events as Trial["events"],
    sampleRateHz: mode.sampleRateHz,
  }));
  const { cpu, cores, memoryGiB } = report.machine;
  const sentence = speedupSentence(report);
  return [
    "",
    ...comparisonTable(report.modes),
    "",
    "Medians (least-greatest) since agent_start; a stall is silence within speech.",
    `Measured on ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${report.versions.node}.`,
    "",
    ...timeline(turns, columns),
    ...(sentence === undefined ? [] : ["", sentence]),
    "",
    `Listen:  ${Object.values(files.paths)
      .filter((path) => path.endsWith(".wav"))
      .join("  ")}`,
    `Details: ${files.paths.report}`,
    `Next:    npx agent-infra demo --prompt "Why are there tides?" --voice bf_emma`,
    `         npx agent-infra serve`,
    `         npx speech-infra say "Hello there." --out hello.wav`,
  ];
}
