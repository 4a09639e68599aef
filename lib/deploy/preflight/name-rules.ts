/** Do the names that the stage gives fit the services, and are they free, or ours? */
import {
  BedrockAgentCoreControlClient,
  ListAgentRuntimesCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DescribeEndpointCommand, SageMakerClient } from "@aws-sdk/client-sagemaker";
import { type AgentNames, modelBucketName, type SpeechNames } from "../../config/deployment-names.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { readStack } from "../stack-state.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, failed, ok } from "./finding.ts";
import type { Identity } from "./identity.ts";

/** Each service's own words for it; all checked before anything is made. */
const RULES = {
  endpoint: { pattern: /^[A-Za-z0-9](-*[A-Za-z0-9]){0,62}$/, allowed: "1 to 63 letters, digits and hyphens" },
  bucket: {
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    allowed: "3 to 63 lower-case letters, digits and hyphens",
  },
  runtime: { pattern: /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/, allowed: "1 to 48 letters, digits and underscores" },
  repository: { pattern: /^[a-z0-9][a-z0-9._/-]{1,255}$/, allowed: "2 to 256 lower-case letters and digits" },
} as const;

/** @returns the first name that breaks its rule, in words. */
export function brokenName(names: readonly (readonly [keyof typeof RULES, string])[]): string | undefined {
  for (const [kind, name] of names) {
    const { pattern, allowed } = RULES[kind];
    if (!pattern.test(name)) return `the ${kind} would be called "${name}"; allowed are ${allowed}`;
  }
  return undefined;
}

export function speechNamesCheck(place: AwsPlace, names: SpeechNames, identity: Promise<Identity>): Check {
  return {
    name: "names",
    subject: `the name ${names.endpoint}`,
    needsAws: true,
    run: async (signal) => {
      const { account } = await identity;
      const broken = brokenName([
        ["endpoint", names.endpoint],
        ["repository", names.repository],
        ["bucket", modelBucketName(names, account, place.region)],
      ]);
      if (broken !== undefined) return failed("names", broken, "choose a shorter --stage");
      const [isTaken, isOurs] = await Promise.all([
        endpointStatus(place, names.endpoint, signal),
        hasStack(place, names.stacks.endpoint, signal),
      ]);
      return isTaken !== undefined && !isOurs
        ? failed(
            "names",
            `an endpoint ${names.endpoint} is there that this program did not make`,
            "choose another --stage, or delete it",
          )
        : ok("names", names.endpoint);
    },
  };
}

export function agentNamesCheck(place: AwsPlace, names: AgentNames): Check {
  return {
    name: "names",
    subject: `the name ${names.runtime}`,
    needsAws: true,
    run: async (signal) => {
      const broken = brokenName([
        ["runtime", names.runtime],
        ["repository", names.repository],
      ]);
      if (broken !== undefined) return failed("names", broken, "choose a shorter --stage");
      const [isTaken, isOurs] = await Promise.all([
        hasRuntime(place, names.runtime, signal),
        hasStack(place, names.stacks.runtime, signal),
      ]);
      return isTaken && !isOurs
        ? failed(
            "names",
            `a runtime ${names.runtime} is there that this program did not make`,
            "choose another --stage, or delete it",
          )
        : ok("names", names.runtime);
    },
  };
}

/** @returns undefined when there is no such endpoint. */
export async function endpointStatus(
  place: AwsPlace,
  EndpointName: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = new SageMakerClient(checkOptions(place));
  return await asking("sagemaker:DescribeEndpoint", place.region, signal, async () => {
    try {
      const command = new DescribeEndpointCommand({ EndpointName });
      return (await client.send(command, { abortSignal: signal })).EndpointStatus;
    } catch (cause) {
      if (saysNoEndpoint(cause)) return undefined;
      throw cause;
    }
  });
}

/** SageMaker has no error code of its own for it. */
export function saysNoEndpoint(cause: unknown): boolean {
  return cause instanceof Error && /Could not find/i.test(cause.message);
}

async function hasRuntime(place: AwsPlace, name: string, signal: AbortSignal): Promise<boolean> {
  const client = new BedrockAgentCoreControlClient(checkOptions(place));
  let nextToken: string | undefined;
  do {
    const page = await asking("bedrock-agentcore:ListAgentRuntimes", place.region, signal, () =>
      client.send(new ListAgentRuntimesCommand({ maxResults: 100, nextToken }), { abortSignal: signal }),
    );
    if (page.agentRuntimes?.some(({ agentRuntimeName }) => agentRuntimeName === name)) return true;
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return false;
}

async function hasStack(place: AwsPlace, name: string, signal: AbortSignal): Promise<boolean> {
  const client = new CloudFormationClient(checkOptions(place));
  return (await readStack(client, place.region, name, signal)) !== undefined;
}
