/**
 * What would stop a deployment, all at once and in under 10 s. Nothing is changed. `deploy` begins with it; with
 * --dry-run it ends there.
 */
import {
  type AgentNames,
  type SpeechNames,
  STAGE_DEFAULT,
  speechNames,
} from "../../config/deployment-names.ts";
import { SPEECH_MODEL_IDS } from "../../config/speech-catalog.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { addedFlags } from "../command-words.ts";
import { agentCoreCheck, speechEndpointCheck } from "./agent-services.ts";
import { bootstrapCheck } from "./bootstrap.ts";
import { choicesCheck } from "./choices.ts";
import { quotaCheck, type WantedInstances } from "./endpoint-quota.ts";
import { type Check, type Finding, runCheck, warning } from "./finding.ts";
import { callerIdentity, type Identity, identityCheck } from "./identity.ts";
import { type BuildChoice, imageCheck } from "./image-builder.ts";
import { languageModelCheck } from "./language-model.ts";
import { agentNamesCheck, speechNamesCheck } from "./name-rules.ts";

interface PreflightPlan {
  /** Makes the app, which refuses choices that cannot be. */
  readonly app: (outdir: string) => unknown;
  readonly build: BuildChoice;
  /** Of the CDK bootstrap. @default CDK's own */
  readonly qualifier?: string | undefined;
  /** @default whichever the credentials belong to */
  readonly expectedAccount?: string | undefined;
}

export interface SpeechPreflightPlan extends PreflightPlan, WantedInstances {
  readonly names: SpeechNames;
}

export interface AgentPreflightPlan extends PreflightPlan {
  readonly names: AgentNames;
  readonly bedrockModelId: string;
  readonly speechEndpointName: string;
}

export interface PreflightResult {
  readonly findings: readonly Finding[];
  /** Undefined when the credentials did not say. */
  readonly identity: Identity | undefined;
}

export function preflightSpeech(
  plan: SpeechPreflightPlan,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<PreflightResult> {
  return runChecks(plan, place, signal, (identity) => [
    bootstrapCheck(place, identity, plan.qualifier),
    speechNamesCheck(place, plan.names, identity),
    choicesCheck(plan.app),
    quotaCheck(place, plan),
    imageCheck(place, plan.build, "linux/amd64"),
  ]);
}

export function preflightAgent(
  plan: AgentPreflightPlan,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<PreflightResult> {
  const deployCommand = speechDeployCommand(plan, place);
  return runChecks(plan, place, signal, (identity) => [
    bootstrapCheck(place, identity, plan.qualifier),
    agentNamesCheck(place, plan.names),
    choicesCheck(plan.app),
    agentCoreCheck(place),
    languageModelCheck(place, plan.bedrockModelId),
    speechEndpointCheck(place, plan.speechEndpointName, deployCommand),
    imageCheck(place, plan.build, "linux/arm64"),
  ]);
}

/** For an endpoint that no deployment of this stage or the default one makes, the name may be wrong. */
function speechDeployCommand(
  { names, speechEndpointName }: AgentPreflightPlan,
  { chosen }: AwsPlace,
): string {
  for (const stage of [names.stage, STAGE_DEFAULT]) {
    const model = SPEECH_MODEL_IDS.find((id) => speechNames(id, stage).endpoint === speechEndpointName);
    if (model !== undefined) return `speech-infra deploy ${model}${addedFlags(stage, chosen)}`;
  }
  return `choose another --speech-endpoint; speech-infra list${addedFlags(STAGE_DEFAULT, chosen)} shows what there is`;
}

async function runChecks(
  plan: PreflightPlan,
  place: AwsPlace,
  signal: AbortSignal,
  checksOf: (identity: Promise<Identity>) => Check[],
): Promise<PreflightResult> {
  const identity = callerIdentity(place, signal);
  identity.catch(() => {}); // told by its own check; the others only look at it
  const checks = checksOf(identity);
  const [first, ...others] = await Promise.all(
    [identityCheck(identity, place, plan.expectedAccount), ...checks].map((check) => runCheck(check, signal)),
  );
  if (first!.check !== "credentials" || first!.state !== "failed") {
    const known = first!.state === "ok" ? await identity : undefined;
    return { findings: [first!, ...others], identity: known };
  }
  // Without credentials each would say the same again.
  const local = others.filter((_, index) => !checks[index]!.needsAws);
  const rest = checks.filter(({ needsAws }) => needsAws).map(({ name }) => name);
  const unknown = warning("aws", `not checked, for want of credentials: ${rest.join(", ")}`);
  return { findings: [first!, ...local, unknown], identity: undefined };
}
