/**
 * A check before a deployment, and what it found. Every check has a time limit of its own and none stops another: a
 * person is told all that is wrong at once. A check that cannot be made is a warning that says why.
 */
import { isSpeechError } from "../../errors.ts";

export type CheckName =
  | "credentials"
  | "account"
  | "names"
  | "choices"
  | "bootstrap"
  | "quota"
  | "image"
  | "agentcore"
  | "language-model"
  | "speech-endpoint"
  | "aws";

export interface Finding {
  readonly check: CheckName;
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
  /** What to do, or the command to type; absent when all is well. */
  readonly next?: string;
}

export interface Check {
  readonly name: CheckName;
  /** In a sentence: "the quota for ml.g5.xlarge could not be checked". */
  readonly subject: string;
  /** Asks AWS: without credentials there is nothing to be learnt from it. */
  readonly needsAws: boolean;
  run(signal: AbortSignal): Promise<Finding>;
}

/** All checks run at once, so that this bounds them all; with the start of the program it is under 10 s. */
export const CHECK_LIMIT_MS = 8_000;

export const ok = (check: CheckName, message: string): Finding => ({ check, state: "ok", message });
export const warning = (check: CheckName, message: string, next?: string): Finding => ({
  check,
  state: "warning",
  message,
  ...(next !== undefined && { next }),
});
export const failed = (check: CheckName, message: string, next: string): Finding => ({
  check,
  state: "failed",
  message,
  next,
});

/** Never throws but the signal's reason. */
export async function runCheck(
  check: Check,
  signal: AbortSignal,
  limitMs = CHECK_LIMIT_MS,
): Promise<Finding> {
  const limit = AbortSignal.timeout(limitMs);
  const either = AbortSignal.any([signal, limit]);
  // Raced, not only told: what does not listen to a signal must not hold the others up.
  const ended = new Promise<never>((_resolve, reject) => {
    either.addEventListener("abort", () => reject(either.reason), { once: true });
  });
  try {
    return await Promise.race([check.run(either), ended]);
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted
      ? `no answer within ${limitMs / 1_000} s`
      : isSpeechError(error)
        ? error.message
        : `${error instanceof Error ? error.name : "an unknown error"}`;
    return warning(check.name, `${check.subject} could not be checked: ${reason}`);
  }
}

export function isPassed(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== "failed");
}
