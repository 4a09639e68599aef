/** Findings of a preflight for a person: one line each, and below those that are not well what to do. */
import type { Finding } from "../lib/deploy/preflight/finding.ts";
import { textTable } from "./text-table.ts";

const MARKS: Readonly<Record<Finding["state"], string>> = { ok: "ok", warning: "warning", failed: "FAILED" };

export function preflightLines(findings: readonly Finding[]): string[] {
  const table = textTable(findings.map(({ check, state, message }) => [MARKS[state], check, message]));
  const next = findings.filter(({ next }) => next !== undefined);
  if (next.length === 0) return table;
  return [...table, "", "Next:", ...textTable(next.map(({ check, next }) => [`  ${check}`, next!]))];
}
