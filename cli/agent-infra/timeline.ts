/**
 * A picture of one turn a mode in plain characters: when text was written and when sound was heard, on one time
 * scale, so that the overlap is seen rather than computed.
 */
import { heardIntervals, type TurnEvent } from "../../lib/bench/metrics.ts";

export interface TimelineTurn {
  readonly name: string;
  readonly events: readonly TurnEvent[];
  readonly sampleRateHz: number;
}

const WRITING = "-";
const SOUND = "#";
const SILENCE = ".";
const STEPS_SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200];
/** A label every so many cells at least: `120 s` and a space fit. */
const LABEL_CELLS = 8;

/** @param columns width of the whole picture. */
export function timeline(turns: readonly TimelineTurn[], columns: number): string[] {
  const nameWidth = Math.max(...turns.map(({ name }) => name.length));
  const indent = nameWidth + " audio  ".length;
  const cells = columns - indent - 1;
  const rows = turns.map((turn) => ({
    name: turn.name,
    text: textInterval(turn.events),
    heard: heardIntervals(turn.events, turn.sampleRateHz),
  }));
  const endMs = Math.max(0, ...rows.flatMap(({ text, heard }) => [...text, ...heard].map((i) => i.endMs)));
  if (endMs === 0) return [];
  const cellMs = endMs / cells;
  return [
    `${" ".repeat(indent)}${scale(cellMs, cells)}`,
    ...rows.flatMap(({ name, text, heard }) => [
      `${name.padEnd(nameWidth)} text   ${draw(text, WRITING, " ", cellMs)}`,
      `${" ".repeat(nameWidth)} audio  ${draw(heard, SOUND, SILENCE, cellMs)}`,
    ]),
    `${WRITING} text is written   ${SOUND} speech is heard   ${SILENCE} silence`,
  ];
}

function textInterval(events: readonly TurnEvent[]): { startMs: number; endMs: number }[] {
  const times = events.filter(({ type }) => type === "text_delta").map(({ atMs }) => atMs);
  return times.length === 0 ? [] : [{ startMs: times[0]!, endMs: times.at(-1)! }];
}

/** Each cell shows what filled most of it; an interval shorter than a cell still gets one. */
function draw(
  intervals: readonly { startMs: number; endMs: number }[],
  mark: string,
  gap: string,
  cellMs: number,
): string {
  const row: string[] = [];
  for (const { startMs, endMs } of intervals) {
    const first = Math.floor(startMs / cellMs + 0.5);
    const last = Math.max(first + 1, Math.floor(endMs / cellMs + 0.5));
    for (let cell = row.length; cell < first; cell++) row.push(gap);
    for (let cell = row.length; cell < last; cell++) row.push(mark);
  }
  return row.join("");
}

function scale(cellMs: number, cells: number): string {
  const leastSeconds = (LABEL_CELLS * cellMs) / 1000;
  const stepSeconds =
    STEPS_SECONDS.find((step) => step >= leastSeconds) ?? Math.ceil(leastSeconds / 3600) * 3600;
  let row = "";
  for (let second = 0; ; second += stepSeconds) {
    const at = Math.round((second * 1000) / cellMs);
    const label = second === 0 ? "0 s" : String(second);
    if (at + label.length > cells) return row;
    row = row.padEnd(at) + label;
  }
}
