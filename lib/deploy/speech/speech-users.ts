/** Who speaks through an endpoint: agents' stacks say so in an output. */
import { type CloudFormationClient, paginateDescribeStacks } from "@aws-sdk/client-cloudformation";
import { OUTPUTS, TAGS } from "../../config/deployment-names.ts";
import { stackState } from "../stack-state.ts";

/** @returns names of the agents' stacks, of any stage. */
export async function speechUsers(client: CloudFormationClient, endpointName: string): Promise<string[]> {
  const users: string[] = [];
  for await (const page of paginateDescribeStacks({ client }, {})) {
    for (const stack of page.Stacks ?? []) {
      const { name, status, tags, outputs } = stackState(stack);
      if (tags[TAGS.productKey] !== TAGS.product || status === "DELETE_COMPLETE") continue;
      if (outputs[OUTPUTS.speechEndpointName] === endpointName) users.push(name);
    }
  }
  return users;
}
