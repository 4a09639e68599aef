/** Parts of a status that both sides have, for a person. */
import type { Drift } from "../lib/deploy/status/drift.ts";
import type { Health } from "../lib/deploy/status/health.ts";
import type { StackReport } from "../lib/deploy/status/stack-report.ts";
import { textTable } from "./text-table.ts";

export function stackLines(stacks: readonly StackReport[]): string[] {
  return textTable(
    stacks.map(({ name, status, updatedAt }) => [
      name,
      status ?? "not deployed",
      updatedAt?.slice(0, 16) ?? "",
    ]),
  );
}

export function driftLines(drift: readonly Drift[], deployCommand: string): string[] {
  if (drift.length === 0) return [];
  return [
    ...drift.map(({ what, deployed, local }) => `drift: ${what} deployed ${deployed}, here ${local}`),
    `       ${deployCommand} brings it up to date`,
  ];
}

const WORDS: Readonly<Record<Health, string>> = {
  healthy: "healthy",
  "in-progress": "in progress: it is being made, changed or taken down",
  unhealthy: "UNHEALTHY",
  "not-deployed": "not deployed",
};

export function healthLine(subject: string, health: Health, next: string): string {
  const more = health === "not-deployed" ? `; ${next} deploys it` : "";
  return `${subject}: ${WORDS[health]}${more}`;
}
