/** Logs for both sides: once as lines or as JSON, or followed until Ctrl-C. */
import { Option } from "commander";
import type { AwsPlace } from "../lib/deploy/aws-clients.ts";
import type { LogLine } from "../lib/deploy/logs/log-reader.ts";
import { SpeechError } from "../lib/errors.ts";
import type { StageOptions } from "./aws-selection.ts";
import type { CliContext } from "./run.ts";

export interface LogOptions extends StageOptions {
  readonly follow: boolean;
  /** Milliseconds back from now. */
  readonly since: number;
  readonly build: boolean;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SINCE_DEFAULT = "10m";

export const logOptions = () => [
  new Option("-f, --follow", "go on with what comes, until Ctrl-C").default(false).conflicts("json"),
  new Option("--since <time>", "how far back: a number with s, m, h or d")
    .default(parseSince(SINCE_DEFAULT), SINCE_DEFAULT)
    .argParser(parseSince),
  new Option("--build", "the log of image builds at CodeBuild instead of the container's").default(false),
];

/** @returns milliseconds. @throws {SpeechError} CONFIGURATION */
export function parseSince(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? [];
  if (number !== undefined && unit !== undefined) return Number(number) * UNITS_MS[unit]!;
  throw new SpeechError(
    "CONFIGURATION",
    `--since must be a number with s, m, h or d, such as 10m, got "${text.slice(0, 60)}"`,
  );
}

export async function showLogs(
  groups: readonly string[],
  { follow, since }: LogOptions,
  place: AwsPlace,
  { output, signal }: CliContext,
): Promise<void> {
  const { LogReader } = await import("../lib/deploy/logs/log-reader.ts");
  const reader = new LogReader(place, signal);
  const query = { groups, sinceMs: Date.now() - since };
  if (follow) {
    for await (const line of reader.follow(query)) output.line(logText(line));
    return;
  }
  const lines = await reader.read(query);
  output.result({
    groups,
    lines: lines.map(({ timeMs, stream, message }) => ({
      time: new Date(timeMs).toISOString(),
      stream,
      message,
    })),
  });
  for (const line of lines) output.line(logText(line));
  if (lines.length === 0) output.note(`No lines; --since 1d looks further back, -f waits for new ones.`);
}

export function logText({ timeMs, message }: LogLine): string {
  return `${new Date(timeMs).toISOString()} ${message}`;
}
