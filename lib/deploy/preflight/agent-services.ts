/** What an agent stands on: AgentCore in this region, and an endpoint that speaks. */
import {
  BedrockAgentCoreControlClient,
  ListAgentRuntimesCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { isSpeechError } from "../../errors.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, failed, ok, warning } from "./finding.ts";
import { endpointStatus } from "./name-rules.ts";

export function agentCoreCheck(place: AwsPlace): Check {
  return {
    name: "agentcore",
    subject: `AgentCore in ${place.region}`,
    needsAws: true,
    run: async (signal) => {
      const client = new BedrockAgentCoreControlClient(checkOptions(place));
      try {
        await asking("bedrock-agentcore:ListAgentRuntimes", place.region, signal, () =>
          client.send(new ListAgentRuntimesCommand({ maxResults: 1 }), { abortSignal: signal }),
        );
        return ok("agentcore", `answers in ${place.region}`);
      } catch (error) {
        // A region without the service has no such host.
        if (!isSpeechError(error) || error.details.exception !== "ENOTFOUND") throw error;
        return failed(
          "agentcore",
          `AgentCore is not offered in ${place.region}`,
          "choose a --region that has it, for speech and agent both",
        );
      }
    },
  };
}

/** @param deployCommand that makes the endpoint, or finds another. */
export function speechEndpointCheck(place: AwsPlace, endpointName: string, deployCommand: string): Check {
  return {
    name: "speech-endpoint",
    subject: `the speech endpoint ${endpointName}`,
    needsAws: true,
    run: async (signal) => {
      const status = await endpointStatus(place, endpointName, signal);
      if (status === undefined) {
        return failed(
          "speech-endpoint",
          `there is no endpoint ${endpointName} in ${place.region} for the agent to speak with`,
          deployCommand,
        );
      }
      if (status === "InService") return ok("speech-endpoint", `${endpointName} is InService`);
      return status === "Failed" || status === "OutOfService" || status === "Deleting"
        ? failed("speech-endpoint", `${endpointName} is ${status}`, deployCommand)
        : warning("speech-endpoint", `${endpointName} is ${status}: the agent speaks once it is InService`);
    },
  };
}
