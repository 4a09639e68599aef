/**
 * JSON log lines: {level, time, event, ...}. They hold ids, lengths, codes and times, never what is spoken: so an
 * error's own message is logged only when it is a SpeechError, whose words are ours; of any other error only its
 * name, its system code and the place in our source, since its message may quote the text.
 */
import { isSpeechError } from "../../lib/errors.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** @param write takes one line without its line break. */
export function createLog(write: (line: string) => void, wallMs: () => number): Log {
  return (level, event, fields) => {
    write(JSON.stringify({ level, time: new Date(wallMs()).toISOString(), event, ...fields }));
  };
}

/** Fields that tell an operator what failed, down to the first cause. */
export function errorFields(error: unknown): LogFields {
  const causes: Record<string, unknown>[] = [];
  for (let cause = error; cause !== undefined && causes.length < CAUSES_MAX; cause = causeOf(cause)) {
    causes.push(describe(cause));
  }
  const [first, ...rest] = causes;
  return { ...first, ...(rest.length > 0 && { causes: rest }) };
}
const CAUSES_MAX = 4;

function describe(error: unknown): Record<string, unknown> {
  if (isSpeechError(error)) return { code: error.code, message: error.message };
  if (!(error instanceof Error)) return { name: typeof error };
  const systemCode = (error as NodeJS.ErrnoException).code;
  const place = placeOf(error.stack);
  return {
    name: error.name,
    ...(systemCode !== undefined && { system_code: systemCode }),
    ...(place !== undefined && { at: place }),
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** `utterance.ts:42` of the innermost frame: enough to find it, and no path of the machine. */
function placeOf(stack: string | undefined): string | undefined {
  // Frames begin after the message, which may hold anything, line breaks too.
  const frame = stack?.split("\n").find((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line));
  return frame?.match(/([\w.-]+\.[cm]?[jt]s:\d+):\d+\)?$/)?.[1];
}
