/** `--verbose`: what the started parts log, one line each on stderr, as they wrote it. */
import type { ServiceLog } from "../lib/local/child-process-log.ts";
import type { Output } from "./output.ts";

export function showServiceLog(output: Output): (title: string, line: ServiceLog) => void {
  return (title, line) => {
    const { level, event, time, ...fields } = line;
    void time;
    output.note(`[${title}] ${level ?? ""} ${event ?? ""} ${JSON.stringify(fields)}`);
  };
}
