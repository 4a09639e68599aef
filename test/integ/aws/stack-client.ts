/** CloudFormation as a deployment uses it, for tests of the emulator: change sets, and waiting for their end. */

import { setTimeout as delay } from "node:timers/promises";
import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
} from "@aws-sdk/client-cloudformation";

export type Resources = Readonly<Record<string, { readonly Type: string; readonly [key: string]: unknown }>>;

const POLL_MS = 50;

export class StackClient {
  readonly #client: CloudFormationClient;

  constructor(client: CloudFormationClient) {
    this.#client = client;
  }

  /** Starts it. @throws the change set's own reason when it cannot be executed. */
  async begin(name: string, resources: Resources, importExisting = false): Promise<void> {
    const exists = await this.status(name);
    const { Id } = await this.#client.send(
      new CreateChangeSetCommand({
        StackName: name,
        ChangeSetName: `change-${Date.now()}`,
        ChangeSetType: exists === undefined ? "CREATE" : "UPDATE",
        TemplateBody: JSON.stringify({ Resources: resources }),
        Capabilities: ["CAPABILITY_NAMED_IAM"],
        ImportExistingResources: importExisting,
      }),
    );
    const { Status, StatusReason } = await this.#client.send(
      new DescribeChangeSetCommand({ ChangeSetName: Id! }),
    );
    if (Status === "FAILED") throw new Error(StatusReason);
    await this.#client.send(new ExecuteChangeSetCommand({ ChangeSetName: Id! }));
  }

  /** @returns the stack's last status. */
  async deploy(name: string, resources: Resources, importExisting = false): Promise<string> {
    await this.begin(name, resources, importExisting);
    return this.settled(name);
  }

  async beginDelete(name: string): Promise<void> {
    await this.#client.send(new DeleteStackCommand({ StackName: name }));
  }

  /** @returns "gone", or what it is in instead. */
  async delete(name: string): Promise<string> {
    await this.beginDelete(name);
    return this.settled(name);
  }

  async settled(name: string): Promise<string> {
    for (;;) {
      const status = (await this.status(name)) ?? "gone";
      if (!status.endsWith("_IN_PROGRESS")) return status;
      await delay(POLL_MS);
    }
  }

  async status(name: string): Promise<string | undefined> {
    try {
      const { Stacks } = await this.#client.send(new DescribeStacksCommand({ StackName: name }));
      return Stacks![0]!.StackStatus;
    } catch {
      return undefined;
    }
  }

  /** `logical id STATUS`, oldest first, without the stack's own. */
  async events(name: string): Promise<string[]> {
    const { StackEvents } = await this.#client.send(new DescribeStackEventsCommand({ StackName: name }));
    return StackEvents!
      .reverse()
      .filter((event) => event.LogicalResourceId !== name)
      .map((event) => `${event.LogicalResourceId} ${event.ResourceStatus}`);
  }

  /** Reasons of what failed, oldest first. */
  async failures(name: string): Promise<string[]> {
    const { StackEvents } = await this.#client.send(new DescribeStackEventsCommand({ StackName: name }));
    return StackEvents!
      .reverse()
      .filter((event) => event.ResourceStatus?.endsWith("_FAILED") && event.LogicalResourceId !== name)
      .map((event) => event.ResourceStatusReason ?? "");
  }
}
