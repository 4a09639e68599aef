/** The CDK's own stack as a step, for an account and region that have none. After the templates: those can be wrong. */
import { pollIntervalMs } from "./aws-clients.ts";
import type { Operation } from "./stack-session.ts";
import type { StepEnd } from "./steps.ts";
import { bootstrap } from "./toolkit/stack-toolkit.ts";

export async function bootstrapStep(
  qualifier: string | undefined,
  { place, observe, signal }: Operation,
): Promise<StepEnd> {
  const { account, region } = place;
  await bootstrap(
    { account, region, qualifier },
    { observe, signal, consent: true, pollMs: pollIntervalMs(place) },
  );
  return { state: "done" };
}
