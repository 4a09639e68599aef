/**
 * JSON lines on stdout, for CloudWatch and for the process that started this one. Ids, lengths, codes and times
 * only: the words of callers and of the model are personal data and never come here, nor do secrets.
 */
import { isSpeechError } from "../../lib/errors.ts";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** @param write takes one line with its line break. */
export function createLog(
  write: (line: string) => void,
  isoTime: () => string = () => new Date().toISOString(),
): Log {
  const at =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ level, time: isoTime(), event, ...fields })}\n`);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * What may be told of an error and of its causes: names, codes, AWS request ids, and for a fault of our own the
 * line it came from. A SpeechError's message is written for callers; any other message may quote spoken text.
 */
export function describeError(error: unknown): LogFields {
  const chain: LogFields[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 5; cause = cause.cause) {
    chain.push(describeOne(cause));
  }
  return { error: chain[0] ?? { name: typeof error }, ...(chain.length > 1 && { causes: chain.slice(1) }) };
}

function describeOne(error: Error): LogFields {
  if (isSpeechError(error)) return { name: error.name, code: error.code, message: error.message };
  const { code, $metadata: aws } = error as { code?: unknown; $metadata?: AwsMetadata };
  const line = /\(?((?:file:|node:|\/)[^\s)]+:\d+:\d+)\)?/.exec(error.stack?.split("\n    at ")[1] ?? "");
  return {
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(aws && { http_status: aws.httpStatusCode, aws_request_id: aws.requestId }),
    ...(line && { at: line[1]?.split("/").slice(-3).join("/") }),
  };
}

interface AwsMetadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}
