/** `agent-infra deploy` from start to end: preflight, consent, the steps, what was made and how to talk to it. */
import { agentNames, STAGE_DEFAULT, speechNames } from "../../lib/config/deployment-names.ts";
import { requireSpeechModel } from "../../lib/config/speech-catalog.ts";
import type { AgentChoice } from "../../lib/deploy/agent/agent-choice.ts";
import type { AgentDeployment } from "../../lib/deploy/agent/agent-deployment.ts";
import { addedFlags } from "../../lib/deploy/command-words.ts";
import type { BuildWay } from "../../lib/deploy/images/image.ts";
import { type AwsOptions, selectAws } from "../aws-selection.ts";
import { requireAnswerable, requireConsent } from "../consent.ts";
import { type AccountRuleOptions, deploymentOptions } from "../deploy-options.ts";
import {
  announce,
  type DeploymentOptions,
  judgePreflight,
  lacksBootstrap,
  placeOf,
  withProgress,
} from "../deployment-run.ts";
import type { CliContext } from "../run.ts";
import { textTable } from "../text-table.ts";

export interface AgentDeployOptions extends DeploymentOptions, AccountRuleOptions {
  readonly bedrockModelId: string;
  readonly speechEndpoint?: string;
  readonly speechModel: string;
  readonly build: BuildWay;
  readonly imageUri?: string;
  readonly dryRun: boolean;
  readonly bootstrap: boolean;
  readonly yes: boolean;
}

/** AgentCore bills by the second of work, Bedrock by the token: there is no price of an hour. */
const COST_WORDS =
  "nothing while nobody talks to it; then AgentCore's CPU and memory by the second, and the model's tokens";

export async function runDeploy(options: AgentDeployOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const choice = agentChoice(options);
  const consent = { given: options.yes, flag: "--yes" };
  if (!options.dryRun) requireAnswerable(consent, context);
  const names = agentNames(options.stage);

  output.status("Checking what is needed ...");
  const [{ preflightAgent }, { buildAgentApp }] = await Promise.all([
    import("../../lib/deploy/preflight/preflight.ts"),
    import("../../lib/deploy/agent/agent-choice.ts"),
  ]);
  const preflight = await preflightAgent(
    {
      names,
      app: (outdir) => buildAgentApp(choice, "any", {}, outdir),
      bedrockModelId: choice.bedrockModelId,
      speechEndpointName: choice.speechEndpointName,
      build: options.imageUri === undefined ? options.build : "none",
      qualifier: options.qualifier,
      expectedAccount: options.account,
    },
    await selectAws(options, context),
    signal,
  );
  judgePreflight(preflight, options, context);
  if (options.dryRun) return;
  const place = await placeOf(options, context);
  announce(
    place,
    [
      ["stacks", Object.values(names.stacks).join(", ")],
      ["runtime", names.runtime],
      ["model", choice.bedrockModelId],
      ["speech", choice.speechEndpointName],
      ["costs", COST_WORDS],
    ],
    context,
  );
  await requireConsent({ ...consent, question: "Deploy?" }, context);
  const { deployAgent } = await import("../../lib/deploy/agent/agent-deployment.ts");
  const made = await withProgress(
    place,
    { verbose: options.verbose, whereToLook: `agent-infra status${addedFlags(options.stage, options)}` },
    context,
    (operation) => deployAgent(choice, operation, lacksBootstrap(preflight)),
  );
  tell(made, options, context);
}

export function agentChoice(options: AgentDeployOptions): AgentChoice {
  const { stage, bedrockModelId, speechEndpoint, speechModel, build, imageUri } = options;
  return {
    stage,
    bedrockModelId,
    speechEndpointName: speechEndpoint ?? speechNames(requireSpeechModel(speechModel).id, stage).endpoint,
    build,
    imageUri,
    options: deploymentOptions(options),
  };
}

function tell(made: AgentDeployment, where: AwsOptions, { output }: CliContext): void {
  const { runtimeArn, region, stage, imageUri, speechEndpointName, bedrockModelId } = made;
  const flags = addedFlags(stage, where);
  const invoke = `agent-infra invoke "Tell me a story."${addedFlags(stage, { ...where, region })}`;
  // The ARN says the region.
  const profile = addedFlags(STAGE_DEFAULT, { profile: where.profile });
  const demo = `agent-infra demo --endpoint-url ${runtimeArn}${profile}`;
  output.result({ ...made, usdPerHour: null, invokeCommand: invoke, demoCommand: demo });
  for (const line of [
    "",
    ...textTable([
      ["runtime", `${runtimeArn} (READY)`],
      ["image", imageUri],
      ["speaks by", speechEndpointName],
      ["thinks by", bedrockModelId],
      ["costs", COST_WORDS],
    ]),
    "",
    "Try it:",
    `  ${invoke}`,
    `  ${demo}`,
    "Take it down:",
    `  agent-infra destroy${flags}`,
  ]) {
    output.line(line);
  }
}
