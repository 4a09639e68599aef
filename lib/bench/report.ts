/**
 * The result of a comparison, as `--json` prints it and report.json keeps it. The summary is what a script reads
 * (medians, and each run's numbers); the report adds the time of every event, so that any other figure can be
 * computed later, and what is needed to compare two reports. No spoken text, no path, no name of a person.
 */
import { z } from "zod";
import { AGENT_MODES, type AgentMode } from "../protocol/agent-events.ts";
import type { ComparedTrial } from "./comparison.ts";
import type { Machine, Versions } from "./machine.ts";
import type { TurnMetrics } from "./metrics.ts";
import { median, summarize } from "./statistics.ts";

const metricFields = {
  firstTextMs: z.number().nullable(),
  firstAudioMs: z.number().nullable(),
  stallMs: z.number(),
  stalls: z.number(),
  endMs: z.number(),
  audioSeconds: z.number(),
  chunks: z.number(),
};
const METRIC_NAMES = Object.keys(metricFields) as (keyof TurnMetrics)[];

const rangeSchema = z.object({ median: z.number(), min: z.number(), max: z.number() });
const runSchema = z.object({ run: z.number().int().positive(), order: z.number().int(), ...metricFields });
const eventSchema = z.object({
  type: z.string(),
  atMs: z.number(),
  chars: z.number().optional(),
  samples: z.number().optional(),
});

/** Medians at the top, so that `.modes.bidi.firstAudioMs` is a number. */
const modeSchema = z.object({
  ...metricFields,
  /** Median, least and greatest of each number; null where no run has one. */
  ranges: z.record(z.string(), rangeSchema.nullable()),
  runs: z.array(runSchema),
});
const modeReportSchema = modeSchema.extend({
  sampleRateHz: z.number(),
  runs: z.array(runSchema.extend({ events: z.array(eventSchema) })),
});

const machineSchema = z.object({
  cpu: z.string(),
  cores: z.number(),
  memoryGiB: z.number(),
  platform: z.string(),
});
const versionsSchema = z.object({
  product: z.string(),
  commit: z.string().nullable(),
  node: z.string(),
  onnxruntime: z.string(),
});
const filesSchema = z.record(z.string(), z.string());
const resultFields = {
  /** How many times sooner bidi is heard than batch; null unless both spoke. */
  bidiSpeedup: z.number().nullable(),
  files: filesSchema,
  machine: machineSchema,
  versions: versionsSchema,
};

export const summarySchema = z.object({
  modes: z.partialRecord(z.enum(AGENT_MODES), modeSchema),
  ...resultFields,
});
export const reportSchema = z.object({
  format: z.literal(1),
  startedAt: z.iso.datetime(),
  setup: z.object({
    /** Where the agent ran: started here, or a URL or ARN that was given (which one is not told). */
    agent: z.enum(["local", "remote"]),
    languageModel: z.string(),
    speech: z.string(),
    voice: z.string(),
    speed: z.number(),
    promptChars: z.number().int(),
    runs: z.number().int(),
  }),
  modes: z.partialRecord(z.enum(AGENT_MODES), modeReportSchema),
  ...resultFields,
});

export type ComparisonSummary = z.infer<typeof summarySchema>;
export type ComparisonReport = z.infer<typeof reportSchema>;
export type ReportSetup = ComparisonReport["setup"];

export interface ReportContext {
  readonly startedAt: string;
  readonly setup: ReportSetup;
  readonly files: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly versions: Versions;
}

/** @param modes in the order in which they are to be shown. */
export function buildReport(
  trials: readonly ComparedTrial[],
  modes: readonly AgentMode[],
  context: ReportContext,
): ComparisonReport {
  const reports = modes.flatMap((mode) => {
    const own = trials.filter((trial) => trial.mode === mode);
    return own.length === 0 ? [] : [[mode, modeReport(own)] as const];
  });
  const byMode: ComparisonReport["modes"] = Object.fromEntries(reports);
  return reportSchema.parse({
    format: 1,
    ...context,
    modes: byMode,
    bidiSpeedup: rounded(speedup(byMode.bidi?.firstAudioMs, byMode.batch?.firstAudioMs)),
  });
}

/** What `--json` prints: the report without the events' times. `files` are the paths to be told to the user. */
export function summaryOf(
  report: ComparisonReport,
  files: Readonly<Record<string, string>>,
): ComparisonSummary {
  return summarySchema.parse({ ...report, files });
}

/** How many times sooner the first audio of the one came than of the other. */
export function speedup(
  firstAudioMs: number | null | undefined,
  baselineMs: number | null | undefined,
): number | null {
  if (typeof firstAudioMs !== "number" || typeof baselineMs !== "number" || firstAudioMs <= 0) return null;
  return baselineMs / firstAudioMs;
}

/** Thousandths are finer than any of these can be measured; more digits would be noise. */
function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1000) / 1000) as T;
}

function roundedMetrics(metrics: TurnMetrics): TurnMetrics {
  return Object.fromEntries(
    METRIC_NAMES.map((name) => [name, rounded(metrics[name])]),
  ) as unknown as TurnMetrics;
}

function modeReport(trials: readonly ComparedTrial[]): z.infer<typeof modeReportSchema> {
  const values = (name: keyof TurnMetrics) => trials.map(({ trial }) => rounded(trial.metrics[name]));
  const medians = Object.fromEntries(
    METRIC_NAMES.map((name) => [name, median(values(name).filter((value) => value !== null))]),
  );
  return {
    ...(medians as unknown as TurnMetrics),
    ranges: Object.fromEntries(METRIC_NAMES.map((name) => [name, summarize(values(name))])),
    sampleRateHz: trials[0]!.trial.sampleRateHz,
    runs: trials.map(({ run, order, trial }) => ({
      run,
      order,
      ...roundedMetrics(trial.metrics),
      events: trial.events.map((event) => ({ ...event })),
    })),
  };
}
