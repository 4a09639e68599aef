/** What the commands that change an account have in common: where, preflight, consent, progress, interruption. */

import type { DeploymentPlace } from "../lib/deploy/deployment-place.ts";
import type { Finding } from "../lib/deploy/preflight/finding.ts";
import type { PreflightResult } from "../lib/deploy/preflight/preflight.ts";
import type { Operation } from "../lib/deploy/stack-session.ts";
import { SpeechError } from "../lib/errors.ts";
import { type AwsOptions, selectAws } from "./aws-selection.ts";
import { DeployDisplay } from "./deploy-progress.ts";
import { preflightLines } from "./preflight-lines.ts";
import type { CliContext } from "./run.ts";
import { textTable } from "./text-table.ts";

export interface DeploymentOptions extends AwsOptions {
  readonly stage: string;
  readonly account?: string;
  readonly verbose?: boolean;
}

/** @throws {SpeechError} CONFIGURATION, ACCESS_DENIED: no region, no credentials, another account. */
export async function placeOf(options: DeploymentOptions, context: CliContext): Promise<DeploymentPlace> {
  const place = await selectAws(options, context);
  const { findPlace } = await import("../lib/deploy/deployment-place.ts");
  return await findPlace(place, options.account, context.signal);
}

/**
 * Runs the work with its progress drawn. CloudFormation does not stop because somebody stops watching: that is said.
 * @param whereToLook command that shows how it goes on.
 */
export async function withProgress<T>(
  place: DeploymentPlace,
  { verbose = false, whereToLook }: { readonly verbose?: boolean | undefined; readonly whereToLook: string },
  { output, signal }: CliContext,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  using display = new DeployDisplay(output, { verbose });
  try {
    return await work({ place, observe: display.observe, signal });
  } catch (error) {
    if (signal.aborted) {
      output.note(
        "Stopped waiting. AWS finishes what was begun; see how it goes with " +
          `${whereToLook}, or run the same command again: it goes on from there.`,
      );
    }
    throw error;
  }
}

/** What is going to be made, and where, before anyone is asked. */
export function announce(
  { account, region }: DeploymentPlace,
  rows: readonly (readonly [name: string, value: string])[],
  { output }: CliContext,
): void {
  output.note(`This deploys to account ${account}, region ${region}:`);
  for (const line of textTable(rows.map(([name, value]) => [`  ${name}`, value]))) output.note(line);
}

export interface PreflightChoice {
  /** --dry-run: all of it is the result. */
  readonly dryRun: boolean;
  /** --bootstrap: a missing one is no obstacle. */
  readonly bootstrap: boolean;
}

/**
 * Tells what was found: all of it for --dry-run, else what is not well.
 * @throws {SpeechError} CONFIGURATION that counts what is wrong; the findings are in its details.
 */
export function judgePreflight(
  { findings: found, identity }: PreflightResult,
  { dryRun, bootstrap }: PreflightChoice,
  { output }: CliContext,
): void {
  const findings = found.map(withOurBootstrap);
  const isMended = (finding: Finding) => bootstrap && finding.check === "bootstrap";
  const wrong = findings.filter((finding) => finding.state === "failed" && !isMended(finding));
  const told = dryRun || wrong.length > 0 ? findings : findings.filter(({ state }) => state === "warning");
  for (const line of told.length === 0 ? [] : preflightLines(told)) {
    if (dryRun) output.line(line);
    else output.note(line);
  }
  if (wrong.length > 0) {
    const what =
      wrong.length === 1 ? "one thing stands in the way" : `${wrong.length} things stand in the way`;
    // With --json there is nothing above to look at.
    const list = wrong.map(({ check, message, next }) => `${check}: ${message} (${next})`).join("; ");
    throw new SpeechError("CONFIGURATION", `${what}; nothing was changed${output.json ? `: ${list}` : ""}`, {
      details: { findings },
    });
  }
  if (dryRun) output.result({ dryRun: true, account: identity?.account ?? null, findings });
}

/** The command can do it itself. */
function withOurBootstrap(finding: Finding): Finding {
  if (finding.check !== "bootstrap" || finding.next === undefined) return finding;
  return { ...finding, next: `the same command with --bootstrap, or ${finding.next}` };
}

/** Whether --bootstrap, when given, has something to do. */
export function lacksBootstrap({ findings }: PreflightResult): boolean {
  return findings.some(({ check, state }) => check === "bootstrap" && state === "failed");
}
