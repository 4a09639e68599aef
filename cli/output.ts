/**
 * The only writer to stdout and stderr. stdout carries results: lines for people, or with --json exactly one
 * object and nothing else. stderr carries what goes on and errors. A reader that has gone (a closed pipe) is told
 * to the owner by `onBrokenPipe`, not thrown into whoever happened to write.
 */
import { isSpeechError } from "../lib/errors.ts";
import { INTERNAL_MESSAGE } from "../lib/protocol/wire-errors.ts";
import { StatusLine, type StatusStream } from "./status-line.ts";

export interface OutputStream extends StatusStream {
  write(text: string, done?: () => void): unknown;
  on?(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** stdout belongs to one JSON object. */
  readonly json: boolean;
  /** Never move the cursor. */
  readonly plain?: boolean;
  /** Errors come with their causes and stack traces. */
  readonly debug?: boolean;
  readonly nowMs?: () => number;
  readonly onBrokenPipe?: () => void;
}

export class Output {
  readonly json: boolean;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #status: StatusLine;
  readonly #debug: boolean;

  constructor(options: OutputOptions) {
    this.json = options.json;
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
    this.#debug = options.debug ?? false;
    this.#status = new StatusLine({
      stream: options.stderr,
      plain: options.plain ?? false,
      nowMs: options.nowMs ?? (() => performance.now()),
    });
    this.#stdout.on?.("error", (error) => {
      if (error.code === "EPIPE") options.onBrokenPipe?.();
    });
    // A log that has gone is no reason to stop: the result may still be wanted.
    this.#stderr.on?.("error", () => {});
  }

  /** Width for tables and pictures. */
  get columns(): number {
    return Math.min(100, Math.max(60, this.#stdout.columns ?? 80));
  }

  /** True in a terminal: a status is rewritten in place. False in a log, which is told little and keeps all of it. */
  get rewritesStatus(): boolean {
    return this.#status.inPlace;
  }

  /** A line of the result for people; nothing with --json. */
  line(text = ""): void {
    if (this.json) return;
    this.#status.clear();
    this.#stdout.write(`${text}\n`);
  }

  /** The result for programs; nothing without --json. */
  result(value: unknown): void {
    if (!this.json) return;
    this.#status.clear();
    this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Text as it is, e.g. help, which is never JSON. */
  text(text: string): void {
    this.#status.clear();
    this.#stdout.write(text);
  }

  /** What is going on right now; replaced by the next one. */
  status(text: string): void {
    this.#status.update(text);
  }

  clearStatus(): void {
    this.#status.clear();
  }

  /** Something that happened and stays readable, beside the result. */
  note(text: string): void {
    this.#status.clear();
    this.#stderr.write(`${text}\n`);
  }

  /** A question; its answer follows on the same line. */
  prompt(text: string): void {
    this.#status.clear();
    this.#stderr.write(text);
  }

  /** One sentence on stderr, or with --json the error object on stdout. */
  error(error: unknown): void {
    const { code, message } = describeError(error);
    this.#status.clear();
    if (this.json) {
      const more = isSpeechError(error) ? { retryable: error.retryable, details: error.details } : {};
      this.result({ error: { code, message, ...more } });
    } else {
      this.#stderr.write(`error: ${message}\n`);
    }
    if (this.#debug) this.#stderr.write(`${stackOf(error)}\n`);
  }

  /** Resolves when what was written has left this process, or after a second. */
  async flush(): Promise<void> {
    const drained = [this.#stdout, this.#stderr].map(
      (stream) => new Promise<void>((done) => void stream.write("", done)),
    );
    const late = new Promise<void>((done) => void setTimeout(done, 1_000).unref());
    await Promise.race([Promise.all(drained), late]);
  }
}

/** A fault of ours is told in fixed words: its own message may hold paths or what was to be spoken. */
export function describeError(error: unknown): { code: string; message: string } {
  if (isSpeechError(error)) return { code: error.code, message: oneLine(error.message) };
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: "INTERNAL",
    message: `${INTERNAL_MESSAGE.split(";")[0]} (${kind}); run again with SPEECH_DEBUG=1 to see where`,
  };
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}
