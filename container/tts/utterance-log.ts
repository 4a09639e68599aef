/** One log line for each request on either route: ids, lengths, times and what became of it; never the text. */
import { toWireError } from "../../lib/protocol/wire-errors.ts";
import { errorFields } from "./log.ts";
import { countChars, type SpeechService } from "./speech-service.ts";
import type { Utterance } from "./utterance.ts";

export interface UtteranceReport {
  readonly route: "invocations" | "bidirectional";
  readonly sessionId?: string;
  readonly requestId: string;
  /** `gone`: the caller left before the end. */
  readonly outcome: "complete" | "cancelled" | "gone" | "error";
  /** By the steady clock. */
  readonly startedMs: number;
  readonly text: string;
  /** Undefined when it was refused before it began. */
  readonly utterance: Utterance | undefined;
  readonly failure?: unknown;
}

export function logUtterance({ clock, log }: SpeechService, report: UtteranceReport): void {
  const { outcome, utterance, failure, startedMs } = report;
  const isOurFault = outcome === "error" && isInternal(failure);
  log(isOurFault ? "error" : "info", "utterance", {
    route: report.route,
    ...(report.sessionId !== undefined && { session_id: report.sessionId }),
    request_id: report.requestId,
    outcome,
    chars: countChars(report.text),
    ...(utterance && {
      audio_s: round(utterance.audioSeconds),
      inference_ms: round(utterance.inferenceMs),
      ...(utterance.firstAudioMs !== undefined && {
        first_audio_ms: round(utterance.firstAudioMs - startedMs),
      }),
    }),
    elapsed_ms: round(clock.steadyMs() - startedMs),
    ...(outcome === "error" && { error: errorFields(failure) }),
  });
}

function isInternal(failure: unknown): boolean {
  const { code } = toWireError(failure);
  return code === "INTERNAL" || code === "SYNTHESIS_FAILED";
}

/** Thousandths are enough for a log. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
