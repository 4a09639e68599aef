/** An answer given by the exit code: the command has done its work and said what there is to say. */
import type { Health } from "../lib/deploy/status/health.ts";

export class ExitWith extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Apart from 1 and 2, which say that the command itself failed. */
export const HEALTH_EXIT_CODES: Readonly<Record<Health, number>> = {
  healthy: 0,
  "in-progress": 3,
  unhealthy: 4,
  "not-deployed": 5,
};

/** Call it last. */
export function exitWithHealth(health: Health): void {
  const exitCode = HEALTH_EXIT_CODES[health];
  if (exitCode !== 0) throw new ExitWith(exitCode);
}
