/** Whether anybody answers at a URL that was given, before work is begun that needs it. */
import { SpeechError } from "../lib/errors.ts";
import { PING_PATH } from "../lib/protocol/limits.ts";

const ANSWER_LIMIT_MS = 5_000;

/**
 * Any HTTP answer will do: what the server thinks of a request, it says itself.
 * @param next what to type where nobody answers.
 * @throws {SpeechError} CONFIGURATION
 */
export async function requireReachable(
  flag: string,
  url: URL,
  next: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await fetch(new URL(PING_PATH, url), { signal: AbortSignal.any([signal, limit]) });
    await answer.body?.cancel();
  } catch (cause) {
    signal.throwIfAborted();
    throw new SpeechError(
      "CONFIGURATION",
      `nobody answers at ${flag} ${url.origin} (${reason(cause)}); check it, or start one with ${next}`,
      { cause },
    );
  }
}

function reason(cause: unknown): string {
  if ((cause as Error).name === "TimeoutError") return `silent for ${ANSWER_LIMIT_MS / 1000} s`;
  const code = ((cause as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "no such host";
  return code ?? "no HTTP answer";
}
