/**
 * One line that says what is going on, on stderr. In a terminal it is rewritten in place; in a log or pipe a line
 * is added every few seconds, so that nobody waits in the dark and no log is flooded. No colour anywhere.
 */

export interface StatusStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface StatusLineOptions {
  readonly stream: StatusStream;
  /** True: never move the cursor, whatever the stream is. */
  readonly plain: boolean;
  readonly nowMs: () => number;
}

/** Ten times a second is as fast as an eye reads; a log gets a line this seldom. */
const REDRAW_MS = 100;
const LOG_LINE_MS = 5_000;
const CLEAR_LINE = "\r\u001b[K";

export class StatusLine {
  readonly #stream: StatusStream;
  readonly inPlace: boolean;
  readonly #nowMs: () => number;
  #lastWriteMs = Number.NEGATIVE_INFINITY;
  #lastText = "";
  #shown = false;

  constructor({ stream, plain, nowMs }: StatusLineOptions) {
    this.#stream = stream;
    this.inPlace = stream.isTTY === true && !plain;
    this.#nowMs = nowMs;
    // A log is told nothing until something has taken its few seconds.
    if (!this.inPlace) this.#lastWriteMs = nowMs();
  }

  /** What is going on now; shown at once or not at all, never later. */
  update(text: string): void {
    if (text === this.#lastText) return;
    const nowMs = this.#nowMs();
    if (nowMs - this.#lastWriteMs < (this.inPlace ? REDRAW_MS : LOG_LINE_MS)) return;
    this.#lastWriteMs = nowMs;
    this.#lastText = text;
    if (!this.inPlace) {
      this.#stream.write(`${text}\n`);
      return;
    }
    const columns = Math.max(20, this.#stream.columns ?? 80);
    this.#stream.write(CLEAR_LINE + shorten(text, columns - 1));
    this.#shown = true;
  }

  /** Takes the line away, so that something else can be written. */
  clear(): void {
    if (this.#shown) this.#stream.write(CLEAR_LINE);
    this.#shown = false;
    this.#lastText = "";
    // The next update after a permanent line may come at once.
    if (this.inPlace) this.#lastWriteMs = Number.NEGATIVE_INFINITY;
  }
}

/** Cut to the terminal's width: a line that wraps cannot be rewritten. */
export function shorten(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 3)}...`;
}

const BAR_CELLS = 20;

/** `Weights [########------------]  41 %  38 of 92 MB`; without a total only what is done. */
export function progressBar(label: string, done: number, total: number | undefined, unit = "bytes"): string {
  if (!total || total <= 0) return `${label}  ${amount(done, unit)}`;
  const share = Math.min(1, Math.max(0, done / total));
  const cells = Math.floor(share * BAR_CELLS);
  const bar = "#".repeat(cells) + "-".repeat(BAR_CELLS - cells);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${label} [${bar}] ${percent} %  ${amount(done, unit, total)}`;
}

function amount(done: number, unit: string, total?: number): string {
  const of = (text: (value: number) => string, name: string) =>
    total === undefined ? `${text(done)} ${name}` : `${text(done)} of ${text(total)} ${name}`;
  return unit === "bytes"
    ? of((value) => (value / 1e6).toFixed(0), "MB")
    : of((value) => String(Math.round(value)), unit);
}
