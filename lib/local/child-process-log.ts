/**
 * What a service wrote last: JSON log lines on stdout, and whatever Node itself says on stderr when a process dies.
 * Only the tail is kept, and only bounded lines, however much a service writes. From it comes the one sentence
 * that says why the service ended.
 */
import type { Readable } from "node:stream";
import { type ErrorCode, isErrorCode } from "../errors.ts";

/** One log line. A line that is no JSON object becomes `{level: "error", text}`. */
export interface ServiceLog {
  readonly level?: string;
  readonly event?: string;
  readonly port?: unknown;
  readonly host?: unknown;
  readonly [field: string]: unknown;
}

const LINES_KEPT = 50;
const LINE_MAX_CHARS = 2_000;

export class LogTail {
  readonly #lines: ServiceLog[] = [];

  /** Reads lines until the stream ends; it must be read, or the service would block on a full pipe. */
  read(stream: Readable, onLine: (line: ServiceLog) => void): void {
    let pending = "";
    const take = (text: string) => {
      if (text.trim() === "") return;
      const line = parseLogLine(text);
      this.#lines.push(line);
      if (this.#lines.length > LINES_KEPT) this.#lines.shift();
      onLine(line);
    };
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      const lines = (pending + chunk).split("\n");
      // A line without an end is cut, so that it cannot grow in memory.
      pending = lines.pop()!.slice(0, LINE_MAX_CHARS);
      for (const text of lines) take(text.slice(0, LINE_MAX_CHARS));
    });
    stream.on("end", () => take(pending));
  }

  /** Why it could not listen, by the system's code. */
  listenFailure(): string | undefined {
    const codes = /\b(EADDRINUSE|EACCES|EADDRNOTAVAIL)\b/;
    for (const line of this.#lines) {
      const code = codes.exec(JSON.stringify(line))?.[1];
      if (code) return code;
    }
    return undefined;
  }

  /** Last line that tells of an error, as a sentence. */
  lastError(): { code: ErrorCode | undefined; message: string } | undefined {
    const line = this.#lines.findLast((entry) => entry.level === "error" || entry.level === "fatal");
    if (!line) return undefined;
    const nested = typeof line.error === "object" && line.error !== null ? line.error : line;
    const { code, message } = nested as { code?: unknown; message?: unknown };
    const words = [message, line.message, line.text, line.event].find(
      (value) => typeof value === "string" && value !== "",
    );
    return { code: isErrorCode(code) ? code : undefined, message: String(words ?? "no reason was logged") };
  }
}

export function parseLogLine(text: string): ServiceLog {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as ServiceLog;
  } catch {
    // not JSON: Node's own words, kept as they are
  }
  return { level: /error|cannot|failed/i.test(text) ? "error" : "info", text };
}
