/** What the work on stacks needs, opened for one app and closed together. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { speechApp } from "../../stacks/speech-app.ts";
import { clientOptions, pollIntervalMs } from "./aws-clients.ts";
import type { DeploymentPlace } from "./deployment-place.ts";
import type { DeployObserver } from "./progress.ts";
import type { StackWork } from "./toolkit/stack-deployment.ts";
import { StackToolkit } from "./toolkit/stack-toolkit.ts";

export interface Operation {
  readonly place: DeploymentPlace;
  readonly observe: DeployObserver;
  readonly signal: AbortSignal;
}

/** Commands to type, for messages. */
export interface NextCommands {
  readonly deployCommand: string;
  readonly destroyCommand: string;
}

type App = ReturnType<typeof speechApp>;

export interface StackSession extends StackWork, AsyncDisposable {
  readonly place: DeploymentPlace;
}

export async function openStacks(
  stage: string,
  { place, observe, signal }: Operation,
  commands: NextCommands,
  build: (outdir: string | undefined, context: Record<string, unknown> | undefined) => App,
): Promise<StackSession> {
  const pollMs = pollIntervalMs(place);
  observe({ kind: "waiting", what: "Writing the templates ..." });
  const toolkit = await StackToolkit.open(build, { observe, signal, pollMs, consent: true });
  const client = new CloudFormationClient(clientOptions(place));
  return {
    toolkit,
    client,
    place,
    stage,
    observe,
    signal,
    pollMs,
    ...commands,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await toolkit[Symbol.asyncDispose]();
    },
  };
}
