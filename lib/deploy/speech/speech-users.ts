/** Who speaks through an endpoint: agents' stacks say so in an output. */
import { type CloudFormationClient, paginateDescribeStacks } from "@aws-sdk/client-cloudformation";
import { OUTPUTS, STAGE_DEFAULT, TAGS } from "../../config/deployment-names.ts";
import { stackState } from "../stack-state.ts";

export interface SpeechUser {
  readonly stack: string;
  readonly stage: string;
}

/** @returns agents of any stage. */
export async function speechUsers(client: CloudFormationClient, endpointName: string): Promise<SpeechUser[]> {
  const users: SpeechUser[] = [];
  for await (const page of paginateDescribeStacks({ client }, {})) {
    for (const stack of page.Stacks ?? []) {
      const { name, status, tags, outputs } = stackState(stack);
      if (tags[TAGS.productKey] !== TAGS.product || status === "DELETE_COMPLETE") continue;
      if (outputs[OUTPUTS.speechEndpointName] === endpointName) {
        users.push({ stack: name, stage: tags[TAGS.stageKey] ?? STAGE_DEFAULT });
      }
    }
  }
  return users;
}
