/**
 * What the demo found, for a person with an 80 column terminal and no colours: one column a mode, one row a
 * number, median first and the extremes behind it.
 */
import type { ComparisonReport } from "../../lib/bench/report.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import { textTable } from "../text-table.ts";

type Mode = NonNullable<ComparisonReport["modes"][AgentMode]>;
type MetricName = keyof Omit<Mode, "ranges" | "runs" | "sampleRateHz">;

interface Row {
  readonly label: string;
  readonly metric: MetricName;
  readonly show: (value: number) => string;
}

const seconds = (ms: number) => (ms / 1000).toFixed(2);
const ROWS: readonly Row[] = [
  { label: "first text (s)", metric: "firstTextMs", show: seconds },
  { label: "first audio (s)", metric: "firstAudioMs", show: seconds },
  { label: "stalls (ms)", metric: "stallMs", show: (ms) => ms.toFixed(0) },
  { label: "end (s)", metric: "endMs", show: seconds },
  { label: "audio (s)", metric: "audioSeconds", show: (value) => value.toFixed(2) },
  { label: "chunks", metric: "chunks", show: (value) => value.toFixed(0) },
];

export function comparisonTable(modes: ComparisonReport["modes"]): string[] {
  const entries = Object.entries(modes) as [AgentMode, Mode][];
  return textTable([
    ["", ...entries.map(([name]) => name)],
    ...ROWS.map(({ label, metric, show }) => [
      label,
      ...entries.map(([, mode]) => cell(mode.ranges[metric] ?? null, show)),
    ]),
  ]);
}

/** `0.89 (0.87-0.93)`; the median alone where the runs agree, a dash where no run has a value. */
function cell(
  range: { median: number; min: number; max: number } | null,
  show: (value: number) => string,
): string {
  if (range === null) return "-";
  const [middle, least, most] = [range.median, range.min, range.max].map(show);
  return least === most ? middle! : `${middle} (${least}-${most})`;
}

/** The sentence the table is read for; undefined unless bidi and batch both spoke. */
export function speedupSentence(report: ComparisonReport): string | undefined {
  const factor = report.bidiSpeedup;
  if (factor === null) return undefined;
  const comparison =
    factor >= 1 ? `${factor.toFixed(1)} times sooner than` : `${(1 / factor).toFixed(1)} times later than`;
  return `bidi speaks ${comparison} batch`;
}
