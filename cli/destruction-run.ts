/** A destruction as both tools have it: what goes is listed, agreed to, done; what stays is named with its cost. */
import type { DeploymentPlace } from "../lib/deploy/deployment-place.ts";
import type { Destruction, DestructionPlan } from "../lib/deploy/destruction.ts";
import type { KeptResource } from "../lib/deploy/kept/kept-resources.ts";
import type { Operation } from "../lib/deploy/stack-session.ts";
import { requireAnswerable, requireConsent } from "./consent.ts";
import { type DeploymentOptions, withProgress } from "./deployment-run.ts";
import type { CliContext } from "./run.ts";
import { textTable } from "./text-table.ts";

export interface DestroyOptions extends DeploymentOptions {
  readonly purge: boolean;
  readonly yes: boolean;
  readonly qualifier?: string;
}

export interface DestroyWork {
  /** The command as typed. */
  readonly what: string;
  readonly whereToLook: string;
  place(): Promise<DeploymentPlace>;
  plan(operation: Operation): Promise<DestructionPlan>;
  destroy(operation: Operation): Promise<Destruction>;
}

export async function destroyAsAgreed(
  options: DestroyOptions,
  context: CliContext,
  work: DestroyWork,
): Promise<void> {
  const { output, signal } = context;
  const { purge } = options;
  const consent = { given: options.yes, flag: purge ? "--yes together with --purge" : "--yes" };
  requireAnswerable(consent, context);
  output.status("Looking at what is there ...");
  const place = await work.place();
  const { stacks, kept } = await work.plan({ place, observe: () => {}, signal });
  if (stacks.length === 0 && (kept.length === 0 || !purge))
    return tellNothing(place, options, kept, context, work);

  output.note(`This destroys in account ${place.account}, region ${place.region}:`);
  for (const line of textTable([
    ...stacks.map(({ name, status }) => ["  stack", `${name} (${status})`]),
    ...(purge ? kept.map(({ kind, name, sizeBytes }) => [`  ${kind}`, `${name} (${size(sizeBytes)})`]) : []),
  ])) {
    output.note(line);
  }
  await requireConsent(
    purge
      ? { ...consent, question: "Weights, images and logs cannot be brought back.", word: "purge" }
      : { ...consent, question: "Destroy?" },
    context,
  );
  const done = await withProgress(
    place,
    { ...options, whereToLook: work.whereToLook },
    context,
    (operation) => work.destroy(operation),
  );
  output.result(done);
  output.line();
  output.line(stacks.length === 0 ? "There were no stacks any more." : "Destroyed.");
  for (const line of keptLines(done.kept, work.what)) output.line(line);
}

function tellNothing(
  { account, region }: DeploymentPlace,
  { stage }: DestroyOptions,
  kept: readonly KeptResource[],
  { output }: CliContext,
  { what }: DestroyWork,
): void {
  output.result({ stage, region, account, steps: [], kept, purged: [] });
  output.line(`Nothing was there to destroy in account ${account}, region ${region}.`);
  for (const line of keptLines(kept, what)) output.line(line);
}

/** @param command as typed, to which --purge is added. */
export function keptLines(kept: readonly KeptResource[], command: string): string[] {
  if (kept.length === 0) return [];
  const total = kept.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0);
  return [
    "Kept for the next deployment (us-east-1 prices; remembered, not fetched):",
    ...textTable(
      kept.map(({ kind, name, sizeBytes, usdPerMonth }) => [
        `  ${kind}`,
        name,
        size(sizeBytes),
        `${money(usdPerMonth)} a month`,
      ]),
    ),
    `Together ${money(total)} a month. To delete them: ${command} --purge`,
  ];
}

function size(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(0)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

function money(usd: number): string {
  return usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`;
}
