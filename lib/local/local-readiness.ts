/** Waiting until a container answers `GET /ping` with 200, as SageMaker and AgentCore themselves do. */
import { setTimeout as delay } from "node:timers/promises";
import { SpeechError } from "../errors.ts";
import { PING_PATH } from "../protocol/limits.ts";
import type { Service } from "./child-process.ts";

const PING_EVERY_MS = 50;
const PING_LIMIT_MS = 2_000;
/** Far above what loading the model takes; a service that needs longer hangs. */
const READY_LIMIT_MS = 120_000;

/** @throws {SpeechError} why the service ended, or MODEL_NOT_READY; the signal's reason when aborted. */
export async function untilReady(service: Service, baseUrl: string, signal: AbortSignal): Promise<void> {
  const ended = service.ended.then((error) => Promise.reject(error));
  await Promise.race([ended, pingUntilOk(service.title, baseUrl, signal)]);
}

async function pingUntilOk(title: string, baseUrl: string, signal: AbortSignal): Promise<void> {
  const giveUpAtMs = performance.now() + READY_LIMIT_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      const answer = await fetch(baseUrl + PING_PATH, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(PING_LIMIT_MS)]),
      });
      await answer.body?.cancel();
      if (answer.ok) return;
    } catch {
      signal.throwIfAborted(); // refused or slow: not ready yet
    }
    if (performance.now() > giveUpAtMs) {
      throw new SpeechError(
        "MODEL_NOT_READY",
        `${title} did not become ready within ${READY_LIMIT_MS / 1000} s; try again, with --verbose to see its log`,
      );
    }
    await delay(PING_EVERY_MS, undefined, { signal });
  }
}
