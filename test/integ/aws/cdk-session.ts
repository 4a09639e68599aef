/** The CDK in this process, as the commands run it, for the stacks as they are. */
import {
  BootstrapEnvironments,
  type IIoHost,
  StackSelectionStrategy,
  type StackSelector,
  Toolkit,
} from "@aws-cdk/toolkit-lib";
import type { App } from "aws-cdk-lib";
import { EMULATED_ACCOUNT, EMULATED_REGION } from "../../helpers/aws-emulator/aws-emulator.ts";

const POLL_MS = 100;

const SILENT: IIoHost = {
  notify: async () => {},
  requestResponse: async (message) => message.defaultResponse,
};

export class CdkSession {
  readonly #toolkit = new Toolkit({ ioHost: SILENT, color: false, emojis: false });

  async bootstrap(): Promise<void> {
    const place = `aws://${EMULATED_ACCOUNT}/${EMULATED_REGION}`;
    await this.#toolkit.bootstrap(BootstrapEnvironments.fromList([place]));
  }

  /** Stacks by their names, in their order. Kept resources are adopted. */
  async deploy(app: App, ...names: readonly string[]): Promise<void> {
    await this.#toolkit.deploy(await this.#source(app), {
      stacks: selection(names),
      stackEventPollingInterval: POLL_MS,
      deploymentMethod: { method: "change-set", importExistingResources: true },
    });
  }

  async destroy(app: App, ...names: readonly string[]): Promise<void> {
    await this.#toolkit.destroy(await this.#source(app), {
      stacks: selection(names),
      stackEventPollingInterval: POLL_MS,
    });
  }

  #source(app: App) {
    return this.#toolkit.fromAssemblyBuilder(async () => app.synth(), { clobberEnv: false });
  }
}

function selection(patterns: readonly string[]): StackSelector {
  return { strategy: StackSelectionStrategy.PATTERN_MUST_MATCH, patterns: [...patterns] };
}
